"""Tests of carriers that no SMS provider names."""

import waiting
from carriers import CARRIER

# Numbers that are reserved for fictional use, and that no other test verifies.
NUMBERS = ["+12025550151", "+12025550152"]


def test_carrier_is_looked_up_once_for_all_attempts(proxy, carriers, service, receiver):
    url = receiver.new_url(500)
    session = service.acquire(url)
    with carriers.looked_up(), proxy.counting() as calls:
        service.text(session, NUMBERS[0])
        webhooks = receiver.wait_for(url, 2)
        service.until_delivered(session)
    assert {service.verify(webhook)["carrier"] for webhook in webhooks} == {CARRIER}
    assert service.state(session)["result"]["carrier"] == CARRIER
    assert calls.count("sms-voice", "CarrierLookup") == 1


def test_webhook_leaves_without_a_carrier_if_the_right_is_missing(
    deployment, carriers, service, receiver
):
    url = receiver.new_url()
    session = service.acquire(url)
    before = deployment.counted("dispatcher", "carrier_failed")
    with carriers.looked_up(), deployment.without("dispatcher", "sms-voice:CarrierLookup"):
        service.text(session, NUMBERS[1])
        webhook, = receiver.wait_for(url)
        service.until_delivered(session)
    assert service.verify(webhook)["carrier"] == ""
    # The emulator logs an invocation's lines after what it wrote can be seen.
    waiting.until(
        "the count of failed look-ups",
        lambda: deployment.counted("dispatcher", "carrier_failed") == before + 1,
    )
