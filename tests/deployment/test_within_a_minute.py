"""Tests of what the fixture `begun` in conftest.py started before all other tests."""

import waiting
from service import sent


def test_revoked_key_is_refused_within_a_minute(begun):
    def refused():
        answer = begun.revoked.call("POST", "/acquire-phone-number", {})
        return answer if answer.status == 401 else None

    answer = waiting.until("a refusal", refused, within=waiting.MINUTES)
    assert answer.json()["code"] == "api_key_revoked"


def test_new_secret_is_taken_beside_the_former_without_a_restart(
    deployment, rotated, service, receiver
):
    for token in (rotated.new_twilio_token, rotated.twilio_token):
        session = service.acquire(receiver.new_url())
        assert rotated.twilio(sent(session), token).status == 200
        assert service.state(session)["status"] == "verified"
    said = {line.get("message") for line in deployment.lines("inbound-sms")}
    assert "read new settings of SMS providers" in said


def test_scheduled_sweep_delivers_what_the_queue_lost(begun, service, receiver):
    webhook, = receiver.wait_for(begun.lost_url, within=waiting.MINUTES)
    assert service.verify(webhook)["confirmationId"] == begun.lost["confirmationId"]
    assert service.until_delivered(begun.lost)["delivery"]["status"] == "delivered"
