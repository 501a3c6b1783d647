"""Tests of test keys: numbers that do something by themselves, and simulated texts."""

from datetime import datetime, timedelta

import pytest

from conftest import APP
from service import PHONE, VERIFIED_AT_ONCE, Service, sent


@pytest.fixture(scope="module")
def tester(deployment, administration, begun, providers):
    """The API, called with a test key of the app that the other tests use."""
    return Service(deployment, administration.issue_test_key(APP), providers)


def test_number_that_is_verified_immediately_needs_no_sweep(deployment, tester, receiver):
    with deployment.without_sweep():
        session = tester.confirm(VERIFIED_AT_ONCE, receiver.new_url())
        state = tester.until_delivered(session)
    assert (state["test"], state["status"]) == (True, "verified")
    # The webhook contains the id that the caller learns from the answer, so it is sent after that.
    verified, sent_at = (
        datetime.fromisoformat(time)
        for time in (state["result"]["timestamp"], state["delivery"]["attempts"][0]["at"])
    )
    assert sent_at - verified >= timedelta(seconds=1.9)


def test_only_a_simulated_text_completes_a_test(tester, service, receiver):
    url = receiver.new_url()
    session = tester.acquire(url)
    assert tester.text_over_http(session).status == 200
    assert tester.state(session)["status"] == "open"
    assert service.call("POST", "/simulated-texts", sent(session)).status == 403
    answer = tester.call("POST", "/simulated-texts", sent(session))
    assert answer.json()["effect"] == "verified"
    webhook = receiver.wait_for(url)[0]
    body = tester.verify(webhook)
    assert (body["phoneNumber"], body["test"]) == (PHONE, True)


def test_test_key_does_not_reach_what_a_live_key_started(tester, service, receiver):
    session = service.acquire(receiver.new_url())
    path = f"/confirmations/{session['confirmationId']}"
    assert tester.call("GET", path).status == 404
    assert tester.call("DELETE", path).status == 404
    keys = tester.call("GET", "/association-keys?publicUserId=zoe")
    assert (keys.status, keys.json()) == (200, {"keys": []})
