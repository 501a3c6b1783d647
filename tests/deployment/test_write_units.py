"""Counts every call that the functions make to AWS services, which gives the costs in
docs/cost.md."""

import contextlib
import json
import os
from collections import Counter

import pytest

import cost_table
import waiting
from counting_proxy import Calls
from logins import CHANGED, Browser, Phone
from openid import Client
from phones import set_up
from proofs import AssociationKey, Registry
from service import SENDER, Service, sent


@pytest.fixture(scope="module")
def quiet(deployment, begun, service, receiver):
    """Turns the sweep off, and waits until no function runs or is about to."""
    receiver.wait_for(begun.lost_url, within=waiting.MINUTES)
    service.until_delivered(begun.lost)

    def at_rest():
        if deployment.any_running():
            return False
        # No test waits for the queues' content any more.
        for queue in ("FirstAttempts", "Retries"):
            deployment.purge(queue)
        return not deployment.any_running()

    with deployment.without_sweep():
        waiting.until("the functions to rest", at_rest)
        # The sweep would handle a webhook that a slow machine created late in an earlier test.
        deployment.forget_pending()
        yield


class Counted:
    """Counts the calls, units and invocations of a block."""

    def __init__(self, deployment, proxy):
        self._deployment = deployment
        self._proxy = proxy

    @contextlib.contextmanager
    def block(self, requests, invocations, said=0):
        """Counts a block, and waits at its end until each function has run as often as `invocations`
        says. `said` is the number of messages that browsers send over the socket."""
        before = self._deployment.invocations()

        def ran():
            self._made = self._deployment.invocations() - before
            return self._made >= Counter(invocations)

        with self._proxy.counting() as self._calls:
            yield
            waiting.until(f"invocations: {invocations}", ran)
        # Each instance reads the profile once a minute, with whichever text comes first, and the last use of a
        # key once a day.
        self._calls = Calls(call for call in self._calls if call.kind not in ("PROFILE", "KEYUSE#*"))
        self._requests = requests
        self._said = said

    def result(self):
        """Returns the counts of the last block."""
        written, read = self._calls.units()
        calls = self._calls.operations()
        # Read again each minute, with whichever request comes first.
        calls.pop("secretsmanager:GetSecretValue", None)
        return {
            "requests": self._requests,
            "messages": self._said + self._calls.count("execute-api", "ManageConnections"),
            "invocations": dict(sorted(self._made.items())),
            "calls": calls,
            "writeUnits": written,
            "readUnits": read,
        }


@pytest.fixture(scope="module")
def counts(quiet, deployment, proxy, administration, providers, receiver):
    """The measured rows for confirmations. Every block waits for everything that it caused, so that
    nothing is counted in the next one."""
    counted, found = Counted(deployment, proxy), {}
    # A new app, because functions cache an app for a minute after its first call.
    service = Service(deployment, administration.create_app("counted", SENDER), providers)

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
        # Verified, and no webhook is due.
        return "verified" in item["state"]["M"] and "due_at" not in item

    # Every function runs once before its writes are counted, because a new process also has to connect.
    for bring, requests, answers in ((service.text, 0, [500]), (service.text_over_http, 1, [])):
        url = receiver.new_url(*answers)
        session = acquire(url)
        verify(session, url, bring, len(answers) + 1, requests)
        look(session)

    # A process reads the app again when its copy is a minute old. A new app's copy is not.
    deployment.restart("acquire")
    acquire(receiver.new_url())
    url = receiver.new_url()
    session = acquire(url)
    found["acquisition"] = counted.result()
    verify(session, url, service.text)
    found["verification"] = counted.result()
    deployment.restart("confirmations")
    look(session)
    look(session)
    found["status"] = counted.result()

    url = receiver.new_url()
    verify(acquire(url), url, service.text_over_http, requests=1)
    found["verificationOverHttp"] = counted.result()

    def plivo(session):
        assert providers.plivo(sent(session)).status == 200

    url = receiver.new_url()
    verify(acquire(url), url, plivo, requests=1)
    found["nonce"] = beyond(counted.result(), found["verificationOverHttp"])

    url = receiver.new_url()
    session = acquire(url)
    with counted.block(2, {"inbound-sms": 2, "dispatcher": 1}):
        assert [answer.status for answer in providers.vonage_parts(sent(session))] == [200, 200]
        waiting.until("the settled webhook", lambda: settled(session))
    found["parts"] = beyond(counted.result(), found["verificationOverHttp"])

    url = receiver.new_url(500)
    verify(acquire(url), url, service.text, 2)
    found["furtherAttempt"] = beyond(counted.result(), found["verification"])

    with counted.block(0, {"sweeper": 1}):
        deployment.sweep()
    found["sweep"] = counted.result()
    return found


# The user of every counted login.
USER = "3fa85f64-5717-4562-b3fc-2c963f66afa6"


class CountedLogins:
    """The steps of a login, each counted as a block."""

    def __init__(self, deployment, counted):
        self._deployment = deployment
        self._counted = counted

    def open(self, app):
        with self._counted.block(1, {"qr-session": 1}):
            return Browser(self._deployment, app).open()

    def watch(self, login):
        """Connects, subscribes, and receives the first message."""
        with self._counted.block(0, {"browser-socket": 2}, said=1):
            return login.watch()

    def leave(self, watch):
        """Closes a connection."""
        with self._counted.block(0, {"browser-socket": 1}):
            watch.close()

    def scan(self, login, phone, watch):
        """Opens the login on a phone. The browser is poked and asks for the state."""
        with self._counted.block(2, {"qr-session": 2}):
            phone.initiate(login, publicUserId=USER)
            assert watch.next() == CHANGED
            assert login.state() == "scanned"

    def confirm(self, login, phone, watch, settled=None, prove=None):
        """Confirms the login, with a proof if there is a function `prove` that makes it. The browser is
        poked, asks for the state, redeems, and is poked again."""
        webhooks = {"dispatcher": 1} if settled else {}
        payload = "a signature of 88 characters".ljust(88, ".")
        body = prove(login, payload) if prove else {"payload": payload}
        with self._counted.block(3, {"qr-session": 3, **webhooks}):
            phone.confirm(login, **body)
            assert watch.next() == CHANGED
            assert login.state() == "confirmed"
            if settled:
                settled()
            assert login.redeem().status == 200
            assert watch.next() == CHANGED


@pytest.fixture(scope="module")
def login_counts(quiet, deployment, proxy, login_apps, receiver):
    """The measured rows for logins."""
    counted = Counted(deployment, proxy)
    steps = CountedLogins(deployment, counted)
    notified = login_apps.counted_notified

    def settled(login):
        def wait():
            receiver.wait_about(notified.url, login.id)
            waiting.until(
                "the settled webhook", lambda: "due_at" not in deployment.login(login.id)
            )

        return wait

    def whole(app, key=None):
        login, phone = steps.open(app), Phone(deployment, app)
        opened = counted.result()
        watch = steps.watch(login)
        begun = counted.result()
        steps.scan(login, phone, watch)
        scanned = counted.result()
        wanted = settled(login) if app.url else None
        prove = key and (lambda login, payload: key.confirmation(app, login, USER, payload))
        steps.confirm(login, phone, watch, wanted, prove)
        confirmed = counted.result()
        steps.leave(watch)
        return opened, together(begun, counted.result()), scanned, confirmed

    # A process reads the apps again when its copy is a minute old. A new app's copy is not.
    deployment.restart("qr-session")
    # Every function runs once before its writes are counted, because a new process also has to connect. This
    # also makes the counted user a returning one.
    proven = login_apps.counted_proven
    key = Registry(deployment, proven).new_key(USER)
    whole(notified)
    whole(login_apps.counted)
    whole(proven, key)
    names = ("loginOpened", "loginWatched", "loginScanned", "loginConfirmed")
    found = dict(zip(names, whole(login_apps.counted), strict=True))
    found["loginWebhook"] = beyond(whole(notified)[-1], found["loginConfirmed"])
    found["loginProven"] = beyond(whole(proven, key)[-1], found["loginConfirmed"])
    return found


@pytest.fixture(scope="module")
def key_counts(quiet, deployment, proxy, login_apps):
    """The measured rows for association keys."""
    counted, found = Counted(deployment, proxy), {}
    registry = Registry(deployment, login_apps.counted_proven)
    # After this, a new process has connected and read the app, and does not read it again for a minute.
    deployment.restart("association-keys")
    registry.new_key("another")
    with counted.block(1, {"association-keys": 1}):
        key = registry.new_key(USER)
    found["keyRegistered"] = counted.result()
    with counted.block(1, {"association-keys": 1}):
        assert registry.revoke(key).status == 200
    found["keyRevoked"] = counted.result()
    return found


@pytest.fixture(scope="module")
def phone_counts(quiet, deployment, proxy, login_apps, receiver):
    """The measured rows for a phone without an app."""
    counted = Counted(deployment, proxy)
    app, notified = login_apps.counted_phones, login_apps.counted_phones_notified

    def whole(app, user):
        invocations = {"association-keys": 4} | ({"dispatcher": 1} if app.url else {})
        with counted.block(4, invocations):
            found = set_up(deployment, app, user, AssociationKey())
            if app.url:
                receiver.wait_about(app.url, found.registration.id)
                waiting.until("the settled webhook", lambda: "due_at" not in found.registration.item())
        return counted.result()

    # After this, a new process has connected and read the apps, and does not read them again for a minute.
    deployment.restart("association-keys")
    whole(notified, "another")
    whole(app, "another")
    found = {"phoneSetUp": whole(app, USER)}
    found["phoneWebhook"] = beyond(whole(notified, USER), found["phoneSetUp"])
    return found


@pytest.fixture(scope="module")
def openid_counts(quiet, deployment, proxy, administration, service):
    """The measured rows for a login with the OpenID provider."""
    counted, found = Counted(deployment, proxy), {}
    app_key, _ = administration.create_login_app("counted-site", origin="https://c.example", link_host="login.c.example")
    administration.update("counted-site", add_redirect_uri="https://c.example/callback", openid_client="public")
    client = Client(deployment, app_key, "https://c.example/callback")
    # After this, processes have connected and read the app, and the person is a returning one.
    client.logged_in(service)
    with counted.block(1, {"openid": 1}):
        page = client.open()
    found["openIdOpened"] = counted.result()
    with counted.block(1, {"openid": 1}):
        session = client.text(page)
    found["openIdStarted"] = counted.result()
    with counted.block(0, {"inbound-sns": 1}):
        service.text(session)
        client.until_verified(session)
    found["openIdTexted"] = counted.result()
    with counted.block(3, {"openid": 3}):
        answer = client.exchange(page, client.finish(page)["code"])
        assert client.user_info(answer.json()["access_token"]).status == 200
    found["openIdLoggedIn"] = counted.result()
    return found


@pytest.fixture(scope="module")
def all_counts(counts, login_counts, key_counts, phone_counts, openid_counts):
    return {**counts, **login_counts, **key_counts, **phone_counts, **openid_counts}


NUMBERS = ("requests", "messages", "writeUnits", "readUnits")


def together(one, other):
    """Returns the sum of two counts."""
    whole = {name: one[name] + other[name] for name in NUMBERS}
    for name in ("invocations", "calls"):
        whole[name] = dict(Counter(one[name]) + Counter(other[name]))
    return whole


def beyond(more, less):
    """Returns the difference of two counts."""
    rest = {name: more[name] - less[name] for name in NUMBERS}
    for name in ("invocations", "calls"):
        rest[name] = dict(Counter(more[name]) - Counter(less[name]))
    return rest


def test_acquisition_takes_two_write_units_one_of_them_for_the_list(counts):
    assert counts["acquisition"]["writeUnits"] <= 2
    assert counts["acquisition"]["invocations"] == {"acquire": 1}


@pytest.mark.parametrize("way", ["verification", "verificationOverHttp"])
def test_verification_takes_five_write_units_one_signature_and_one_message(counts, way):
    assert counts[way]["writeUnits"] <= 5
    assert counts[way]["calls"]["kms:Sign"] == 1
    assert counts[way]["calls"]["sqs:SendMessage"] == 1


def test_nonce_takes_one_write_unit_and_so_does_each_part(counts):
    assert counts["nonce"]["writeUnits"] <= 1
    assert counts["parts"]["writeUnits"] <= 2


def test_further_attempt_reuses_the_signature(counts):
    assert "kms:Sign" not in counts["furtherAttempt"]["calls"]


def test_login_takes_six_write_units_and_one_per_watcher(login_counts):
    """Created, put into the list, scanned, confirmed, redeemed, and the record of the user's browser."""
    written = {name: count["writeUnits"] for name, count in login_counts.items()}
    assert written["loginOpened"] <= 2
    assert written["loginScanned"] <= 1
    assert written["loginConfirmed"] <= 3
    assert written["loginWatched"] <= 1


def test_login_webhook_takes_one_signature_and_one_message(login_counts):
    calls = login_counts["loginWebhook"]["calls"]
    assert (calls["kms:Sign"], calls["sqs:SendMessage"]) == (1, 1)


def test_association_key_takes_four_write_units(key_counts):
    """The key with its entry in the app's list, its place in its owner's list, and the count of its app's."""
    assert key_counts["keyRegistered"]["writeUnits"] <= 4
    assert key_counts["keyRevoked"]["writeUnits"] <= 3


def test_webhook_about_a_phone_costs_what_one_about_a_login_does(phone_counts, login_counts):
    calls = phone_counts["phoneWebhook"]["calls"]
    assert (calls["kms:Sign"], calls["sqs:SendMessage"]) == (1, 1)
    assert phone_counts["phoneWebhook"]["writeUnits"] <= login_counts["loginWebhook"]["writeUnits"]


def test_phone_that_is_set_up_takes_ten_write_units(phone_counts):
    """The registration with its place in its user's list, its four changes, and the key."""
    assert phone_counts["phoneSetUp"]["writeUnits"] <= 10


def test_verifying_a_proof_reads_its_key(login_counts):
    proven = login_counts["loginProven"]
    assert proven["calls"] == {"dynamodb:GetItem": 1}
    # The proof makes the item larger than 1 KB, both when it is confirmed and when it is redeemed.
    assert proven["writeUnits"] <= 2


def test_page_of_the_openid_provider_stores_nothing(openid_counts):
    assert (openid_counts["openIdOpened"]["writeUnits"], openid_counts["openIdOpened"]["readUnits"]) == (0, 0)
    assert "kms:Sign" not in openid_counts["openIdOpened"]["calls"]


def test_login_with_the_openid_provider_takes_one_signature(openid_counts):
    assert openid_counts["openIdLoggedIn"]["calls"]["kms:Sign"] == 1
    assert sum(count["writeUnits"] for count in openid_counts.values()) <= 10


def test_committed_counts_match_the_measured_ones(all_counts):
    if os.environ.get("COUNTERSIGN_WRITE_COSTS"):
        text = json.dumps(all_counts, indent=2, sort_keys=True) + "\n"
        cost_table.COUNTS.write_text(text, encoding="utf-8")
    committed = json.loads(cost_table.COUNTS.read_text(encoding="utf-8"))
    assert all_counts == committed, "COUNTERSIGN_WRITE_COSTS=1 updates costs.json"


def test_cost_table_matches_the_committed_counts():
    committed = json.loads(cost_table.COUNTS.read_text(encoding="utf-8"))
    document = cost_table.DOCUMENT.read_text(encoding="utf-8")
    stale = "python3 tests/deployment/cost_table.py updates it"
    assert document == cost_table.with_table(document, committed), stale
