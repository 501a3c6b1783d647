"""What a session costs: every call that the functions make is counted on its way to a service."""

import contextlib
import json
import os
from collections import Counter

import pytest

import cost_table
import deployment as deploying
import waiting
from service import PHONE


@pytest.fixture(scope="module")
def quiet(deployment, begun, service, receiver):
    """Nothing is due, no sweep comes between, and every function has run."""
    receiver.wait_for(begun.lost_url, within=90)
    service.until_delivered(begun.lost)
    events = deployment.client("events")
    events.disable_rule(Name=f"{deploying.STACK}-sweep")
    try:
        warm(service, receiver)
        yield
    finally:
        events.enable_rule(Name=f"{deploying.STACK}-sweep")


def warm(service, receiver):
    """Sessions by every way, one failing attempt among them."""
    for bring in (service.text, service.text_over_http):
        url = receiver.new_url(500)
        session = service.acquire(url)
        bring(session)
        service.until_delivered(session)


class Counted:
    """What happened while a block ran: calls, units, invocations."""

    def __init__(self, deployment, proxy):
        self._deployment = deployment
        self._proxy = proxy

    @contextlib.contextmanager
    def session(self, requests, invocations):
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
def counts(quiet, deployment, proxy, service, receiver):
    """Each row of the table, measured."""
    counted, found = Counted(deployment, proxy), {}

    def settled(session):
        def gone():
            item = deployment.confirmation(session["confirmationId"])
            return "due_at" not in item

        waiting.until("the settled webhook", gone)

    url = receiver.new_url()
    with counted.session(1, {"acquire": 1}):
        session = service.acquire(url, {"order": "3fa85f64-5717-4562-b3fc-2c963f66afa6"})
    found["acquisition"] = counted.result()

    with counted.session(0, {"inbound-sns": 1, "dispatcher": 1}):
        service.text(session)
        receiver.wait_for(url)
        settled(session)
    found["verification"] = counted.result()

    with counted.session(1, {"confirmations": 1}):
        assert service.state(session)["result"]["phoneNumber"] == PHONE
    found["status"] = counted.result()

    session = service.acquire(url)
    with counted.session(1, {"inbound-sms": 1, "dispatcher": 1}):
        service.text_over_http(session, carrier="Example Wireless")
        receiver.wait_for(url, 2)
        settled(session)
    found["verificationOverHttp"] = counted.result()

    failing = receiver.new_url(500)
    session = service.acquire(failing)
    with counted.session(0, {"inbound-sns": 1, "dispatcher": 2}):
        service.text(session)
        receiver.wait_for(failing, 2)
        settled(session)
    found["furtherAttempt"] = beyond(counted.result(), found["verification"])

    with counted.session(0, {"dispatcher": 1}):
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
