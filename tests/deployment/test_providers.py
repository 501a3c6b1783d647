"""Tests of texts that SMS providers bring to the route `/inbound-sms/{provider}`."""

import secrets

import pytest

import front
import http_api
import waiting
from service import OTHER_PHONE, PHONE, sent


@pytest.mark.parametrize("name", ["twilio", "plivo", "vonage"])
def test_signed_text_verifies(service, providers, receiver, name):
    url = receiver.new_url()
    session = service.acquire(url)
    answer = getattr(providers, name)(sent(session))
    assert answer.status == 200, answer.body
    if name == "twilio":
        assert answer.headers["content-type"] == "text/xml; charset=utf-8"
        assert b"<Response/>" in answer.body
    webhook, = receiver.wait_for(url)
    assert service.verify(webhook)["phoneNumber"] == PHONE


def test_text_in_a_query_verifies(service, providers, receiver):
    session = service.acquire(receiver.new_url())
    assert providers.vonage(sent(session), method="GET").status == 200
    assert service.state(session)["status"] == "verified"


def test_text_in_parts_verifies_once_it_is_whole(deployment, service, providers, receiver):
    url = receiver.new_url()
    session = service.acquire(url)
    before = deployment.counted("inbound-sms", "text_part_kept")
    assert [answer.status for answer in providers.vonage_parts(sent(session))] == [200, 200]
    assert service.state(session)["status"] == "verified"
    waiting.until(
        "the counter", lambda: deployment.counted("inbound-sms", "text_part_kept") == before + 2
    )
    assert len(receiver.wait_for(url)) == 1


def test_nonce_counts_for_only_one_body(service, providers, receiver):
    """Plivo does not sign the body, so a reader of one call could send others with its signature."""
    nonce = secrets.token_hex(10)
    seen, forged = (service.acquire(receiver.new_url()) for _ in range(2))
    assert providers.plivo(sent(seen), nonce).status == 200
    assert providers.plivo(sent(forged), nonce).status == 401
    assert service.state(forged)["status"] == "open"


def test_text_signed_with_another_token_is_refused(deployment, service, providers, receiver):
    session = service.acquire(receiver.new_url())
    before = deployment.counted("inbound-sms", "inbound_refused")
    assert providers.twilio(sent(session), token="another-token").status == 401
    assert service.state(session)["status"] == "open"
    waiting.until(
        "the counter", lambda: deployment.counted("inbound-sms", "inbound_refused") > before
    )


def test_provider_that_is_off_is_not_found(deployment):
    for name in ("telnyx", "sns", "end-user-messaging"):
        answer = http_api.call(deployment, "POST", f"/inbound-sms/{name}", b"{}")
        assert (answer.status, answer.json()["code"]) == (404, "not_found"), name


def test_miss_of_a_text_from_the_topic_is_shown(service, receiver):
    session = service.confirm(PHONE, receiver.new_url())
    service.text(session, sender=OTHER_PHONE)
    missed = waiting.until("the miss", lambda: service.state(session).get("lastMiss"))
    assert missed["reason"] == "wrong_sender"


def test_commands_show_and_try_the_providers_of_a_table(deployment, administration, providers):
    found = administration.providers()
    on = {name for name, state in found.items() if state["on"]}
    assert on == {"twilio", "plivo", "vonage-sms", "generic", "end-user-messaging"}
    for name, place in (
        ("twilio", f"URL:       {deployment.outputs['ApiUrl']}/inbound-sms/twilio"),
        ("end-user-messaging", f"Topic:     {deployment.outputs['InboundTopicArn']}"),
    ):
        shown = administration.show_provider(name)
        assert place in shown
        assert providers.twilio_token not in shown
    with front.serving(deployment) as url:
        for name in ("plivo", "vonage-sms", "generic"):
            assert administration.try_provider(name, url)["status"] == 200


def test_refused_settings_are_not_written(administration, providers):
    before = administration.providers()
    for secret, flags in (("short", []), ("a-good-secret", ["--algorithm=sha256"])):
        refused = administration.refused("provider", "add", "sinch", *flags, given=secret)
        assert "sinch" in refused
        assert secret not in refused
    assert administration.providers() == before
