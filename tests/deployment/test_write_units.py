"""What a session costs: every call that the functions make is counted on its way to a service."""

import contextlib
import json
import os
from collections import Counter

import pytest

import cost_table
import deployment as deploying
import http_api
import waiting
from logins import CHANGED, ORIGIN_SECRET, Browser, Phone
from service import SENDER, Service


@pytest.fixture(scope="module")
def quiet(deployment, begun, service, receiver):
    """Nothing is due, and no sweep comes between."""
    receiver.wait_for(begun.lost_url, within=90)
    service.until_delivered(begun.lost)
    events = deployment.client("events")
    events.disable_rule(Name=f"{deploying.STACK}-sweep")
    try:
        yield
    finally:
        events.enable_rule(Name=f"{deploying.STACK}-sweep")


class Counted:
    """What happened while a block ran: calls, units, invocations."""

    def __init__(self, deployment, proxy):
        self._deployment = deployment
        self._proxy = proxy

    @contextlib.contextmanager
    def block(self, requests, invocations, said=0):
        """Counts a block. It ends once the functions that it names have run so often. `said` are
        messages that browsers sent over the socket."""
        before = self._deployment.invocations()

        def ran():
            self._made = self._deployment.invocations() - before
            return self._made >= Counter(invocations)

        with self._proxy.counting() as self._calls:
            yield
            waiting.until(f"invocations: {invocations}", ran)
        self._requests = requests
        self._said = said

    def result(self):
        """What the block took."""
        written, read = self._calls.units()
        return {
            "requests": self._requests,
            "messages": self._said + self._calls.count("execute-api", "ManageConnections"),
            "invocations": dict(sorted(self._made.items())),
            "calls": self._calls.operations(),
            "writeUnits": written,
            "readUnits": read,
        }


@pytest.fixture(scope="module")
def counts(quiet, deployment, proxy, administration, receiver):
    """Each row of the table, measured. Every block ends when what it set off has ended, so that
    nothing of one is counted in the next."""
    counted, found = Counted(deployment, proxy), {}
    # An app of its own: from its first call on it is remembered for a minute.
    service = Service(deployment, administration.create_app("counted", SENDER))

    def acquire(url):
        with counted.block(1, {"acquire": 1}):
            return service.acquire(url, {"order": "3fa85f64-5717-4562-b3fc-2c963f66afa6"})

    def look(session):
        with counted.block(1, {"confirmations": 1}):
            assert service.state(session)["confirmationId"] == session["confirmationId"]

    def verify(session, url, bring, attempts=1, requests=0):
        by = "inbound-sms" if requests else "inbound-sns"
        with counted.block(requests, {by: 1, "dispatcher": attempts}):
            bring(session)
            waiting.until("the settled webhook", lambda: settled(session))
        assert len(receiver.received(url)) == attempts

    def settled(session):
        item = deployment.confirmation(session["confirmationId"])
        # Verified, and nothing is due any more.
        return item["s"] == {"S": "v"} and "due_at" not in item

    # Every function runs once before it is counted: at a start it also connects.
    for bring, requests in ((service.text, 0), (service.text_over_http, 1)):
        url = receiver.new_url(500)
        session = acquire(url)
        verify(session, url, bring, 2, requests)
        look(session)

    url = receiver.new_url()
    session = acquire(url)
    found["acquisition"] = counted.result()
    verify(session, url, service.text)
    found["verification"] = counted.result()
    look(session)
    found["status"] = counted.result()

    url = receiver.new_url()
    verify(acquire(url), url, service.text_over_http, requests=1)
    found["verificationOverHttp"] = counted.result()

    url = receiver.new_url(500)
    verify(acquire(url), url, service.text, 2)
    found["furtherAttempt"] = beyond(counted.result(), found["verification"])

    with counted.block(0, {"dispatcher": 1}):
        deployment.sweep()
    found["sweep"] = counted.result()
    return found


class CountedLogins:
    """Logins, step by step, each counted."""

    def __init__(self, deployment, counted):
        self._deployment = deployment
        self._counted = counted

    def open(self, app):
        with self._counted.block(1, {"qr-session": 1}):
            return Browser(self._deployment, app).open()

    def watch(self, login):
        """A connection, and its first message with the answer."""
        with self._counted.block(0, {"browser-socket": 2}, said=1):
            return login.watch()

    def leave(self, watch):
        """The end of a connection."""
        with self._counted.block(0, {"browser-socket": 1}):
            watch.close()

    def scan(self, login, phone, watch):
        """A phone opens the code; the browser is told of it, and looks."""
        with self._counted.block(2, {"qr-session": 2}):
            phone.initiate(login, publicUserId="3fa85f64-5717-4562-b3fc-2c963f66afa6")
            assert watch.next() == CHANGED
            assert login.state() == "scanned"

    def confirm(self, login, phone, watch, settled=None):
        """The person confirms; the browser is told, looks, takes the payload and is told again."""
        webhooks = {"dispatcher": 1} if settled else {}
        with self._counted.block(3, {"qr-session": 3, **webhooks}):
            phone.confirm(login, payload="a signature of 88 characters".ljust(88, "."))
            assert watch.next() == CHANGED
            assert login.state() == "confirmed"
            if settled:
                settled()
            assert login.redeem().status == 200
            assert watch.next() == CHANGED

    def apps_are_read(self, proxy):
        """Has the function read the apps, which then are remembered for a minute: a host that is
        nobody's has them read where they were read some seconds ago."""
        headers = {
            ORIGIN_SECRET: self._deployment.origin_secret,
            "X-Forwarded-Host": "nobody.example",
        }

        def asked():
            with proxy.counting() as calls:
                http_api.call(self._deployment, "GET", "/", headers=headers)
            return calls.count("dynamodb", "Query")

        waiting.until("the apps read anew", asked)


@pytest.fixture(scope="module")
def login_counts(quiet, deployment, proxy, login_apps, receiver):
    """The same for logins."""
    counted = Counted(deployment, proxy)
    steps = CountedLogins(deployment, counted)
    told = login_apps.counted_told

    def settled(login, already):
        def wait():
            receiver.wait_for(told.url, already + 1)
            waiting.until(
                "the settled webhook", lambda: "due_at" not in deployment.login(login.id)
            )

        return wait

    def whole(app):
        login, phone = steps.open(app), Phone(deployment, app)
        opened = counted.result()
        watch = steps.watch(login)
        begun = counted.result()
        steps.scan(login, phone, watch)
        scanned = counted.result()
        wanted = settled(login, len(receiver.received(app.url))) if app.url else None
        steps.confirm(login, phone, watch, wanted)
        confirmed = counted.result()
        steps.leave(watch)
        return opened, together(begun, counted.result()), scanned, confirmed

    # Every function runs once before it is counted: at a start it also connects. And it counts what
    # people cost who have been there before.
    whole(told)
    whole(login_apps.counted)
    steps.apps_are_read(proxy)
    names = ("loginOpened", "loginWatched", "loginScanned", "loginConfirmed")
    found = dict(zip(names, whole(login_apps.counted), strict=True))
    found["loginWebhook"] = beyond(whole(told)[-1], found["loginConfirmed"])
    return found


@pytest.fixture(scope="module")
def all_counts(counts, login_counts):
    return {**counts, **login_counts}


NUMBERS = ("requests", "messages", "writeUnits", "readUnits")


def together(one, other):
    """Both counts in one."""
    whole = {name: one[name] + other[name] for name in NUMBERS}
    for name in ("invocations", "calls"):
        whole[name] = dict(Counter(one[name]) + Counter(other[name]))
    return whole


def beyond(more, less):
    """What one count has over another."""
    rest = {name: more[name] - less[name] for name in NUMBERS}
    for name in ("invocations", "calls"):
        rest[name] = dict(Counter(more[name]) - Counter(less[name]))
    return rest


def test_a_session_begun_writes_one_unit(counts):
    assert counts["acquisition"]["writeUnits"] <= 1
    assert counts["acquisition"]["invocations"] == {"acquire": 1}


@pytest.mark.parametrize("way", ["verification", "verificationOverHttp"])
def test_a_verified_one_writes_five_more_and_is_signed_and_sent_once(counts, way):
    assert counts[way]["writeUnits"] <= 5
    assert counts[way]["calls"]["kms:Sign"] == 1
    assert counts[way]["calls"]["sqs:SendMessage"] == 1


def test_a_further_attempt_is_not_signed_anew(counts):
    assert "kms:Sign" not in counts["furtherAttempt"]["calls"]


def test_a_login_writes_five_units_and_one_for_its_watcher(login_counts):
    """Opened, scanned, confirmed, redeemed, and what is remembered of the person."""
    written = {name: count["writeUnits"] for name, count in login_counts.items()}
    assert written["loginOpened"] <= 1
    assert written["loginScanned"] <= 1
    assert written["loginConfirmed"] <= 3
    assert written["loginWatched"] <= 1


def test_a_login_s_webhook_is_signed_and_sent_once(login_counts):
    calls = login_counts["loginWebhook"]["calls"]
    assert (calls["kms:Sign"], calls["sqs:SendMessage"]) == (1, 1)


def test_the_committed_counts_are_what_was_counted(all_counts):
    if os.environ.get("COUNTERSIGN_WRITE_COSTS"):
        text = json.dumps(all_counts, indent=2, sort_keys=True) + "\n"
        cost_table.COUNTS.write_text(text, encoding="utf-8")
    committed = json.loads(cost_table.COUNTS.read_text(encoding="utf-8"))
    assert all_counts == committed, "COUNTERSIGN_WRITE_COSTS=1 writes costs.json anew"


def test_the_table_is_made_from_the_committed_counts():
    committed = json.loads(cost_table.COUNTS.read_text(encoding="utf-8"))
    document = cost_table.DOCUMENT.read_text(encoding="utf-8")
    stale = "python3 tests/deployment/cost_table.py writes it anew"
    assert document == cost_table.written(document, committed), stale
