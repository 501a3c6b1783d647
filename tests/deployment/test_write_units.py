"""What a session costs: every call that the functions make is counted on its way to a service."""

import contextlib
import json
import os
from collections import Counter

import pytest

import cost_table
import deployment as deploying
import waiting
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
    def block(self, requests, invocations):
        """Counts a block. It ends once the functions that it names have run so often."""
        before = self._deployment.invocations()

        def ran():
            self._made = self._deployment.invocations() - before
            return self._made >= Counter(invocations)

        with self._proxy.counting() as self._calls:
            yield
            waiting.until(f"invocations: {invocations}", ran)
        self._requests = requests

    def result(self):
        """What the block took."""
        written, read = self._calls.units()
        return {
            "requests": self._requests,
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


def beyond(more, less):
    """What one count has over another."""
    rest = {name: more[name] - less[name] for name in ("requests", "writeUnits", "readUnits")}
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


def test_the_committed_counts_are_what_was_counted(counts):
    if os.environ.get("COUNTERSIGN_WRITE_COSTS"):
        text = json.dumps(counts, indent=2, sort_keys=True) + "\n"
        cost_table.COUNTS.write_text(text, encoding="utf-8")
    committed = json.loads(cost_table.COUNTS.read_text(encoding="utf-8"))
    assert counts == committed, "COUNTERSIGN_WRITE_COSTS=1 writes costs.json anew"


def test_the_table_is_made_from_the_committed_counts():
    committed = json.loads(cost_table.COUNTS.read_text(encoding="utf-8"))
    document = cost_table.DOCUMENT.read_text(encoding="utf-8")
    stale = "python3 tests/deployment/cost_table.py writes it anew"
    assert document == cost_table.written(document, committed), stale
