"""Tests of carriers that no SMS provider names."""

import itertools
from collections import Counter
from types import SimpleNamespace

import waiting
from carriers import CARRIER

# Numbers that are reserved for fictional use and that no other test verifies.
NUMBERS = (f"+120255501{number}" for number in itertools.count(60))
OUTCOMES = ("carrier_found", "carrier_failed", "carrier_timed_out")


def outcomes(deployment):
    """Returns how often each outcome of a lookup was counted."""
    return Counter({name: deployment.counted("dispatcher", name) for name in OUTCOMES})


def delivered(deployment, service, receiver, *answers):
    """Has a new number verified, and returns it with its session and webhooks. The receiver gives these
    answers, then 200.

    Takes another number if the lookup was late: the dispatcher waits for 800 ms, in which a busy machine
    may not get to answer it."""

    def once():
        number, url, before = next(NUMBERS), receiver.new_url(*answers), outcomes(deployment)
        session = service.acquire(url)
        service.text(session, number)
        webhooks = receiver.wait_for(url, len(answers) + 1)
        service.until_delivered(session)
        # The emulator logs an invocation's lines only after its writes are visible.
        counted = waiting.until("the lookup's outcome", lambda: outcomes(deployment) - before)
        if "carrier_timed_out" in counted:
            return None
        return SimpleNamespace(number=number, session=session, webhooks=webhooks, counted=counted)

    return waiting.until("a lookup that is not late", once)


def test_carrier_is_looked_up_once_for_all_attempts(deployment, carriers, service, receiver):
    with carriers.looked_up():
        found = delivered(deployment, service, receiver, 500)
    assert {service.verify(webhook)["carrier"] for webhook in found.webhooks} == {CARRIER}
    assert service.state(found.session)["result"]["carrier"] == CARRIER
    assert carriers.asked.count(found.number) == 1


def test_webhook_leaves_without_a_carrier_if_the_right_is_missing(
    deployment, carriers, service, receiver
):
    with deployment.without("dispatcher", "sms-voice:CarrierLookup"), carriers.looked_up():
        found = delivered(deployment, service, receiver)
    webhook, = found.webhooks
    assert service.verify(webhook)["carrier"] == ""
    assert found.counted["carrier_failed"] >= 1
