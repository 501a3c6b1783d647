"""A wrong system clock does no harm."""

from typing import Any

import pytest

from countersign import LoginVerificationError, WebhookVerificationError
from support.harness import Harness
from support.phone import ORIGIN, Phone
from support.signing import CONFIRMATION_ID, event, new_secret, standard_headers
from support.stub import Answer, Stub

SECRET = new_secret()
WRONG = pytest.mark.parametrize("wrong", [-600, 600])
JWKS = "/.well-known/jwks.json"


@pytest.fixture
def client(harness: Harness, stub: Stub) -> Any:
    return harness.client(stub.url, webhook_secret=SECRET)


def too_far(client: Any, sent: float) -> bool:
    body = event()
    try:
        client.webhooks.verify(body, standard_headers(SECRET, body, sent))
    except WebhookVerificationError as error:
        assert error.reason == "timestamp_out_of_range"
        return True
    return False


def judges_by(client: Any, now: float) -> None:
    """Asserts that webhooks and proofs are judged by this time."""
    assert [too_far(client, now + off) for off in (-302, -298, 298, 302)] == [True, False, False, True]
    for off, holds in ((-362, False), (-358, True), (58, True), (62, False)):
        phone = Phone(now=now + off)

        def verify() -> Any:
            return client.logins.verify(**phone.detail(), origin=ORIGIN, find_key=lambda _kid: phone.known)

        if holds:
            verify()
        else:
            with pytest.raises(LoginVerificationError):
                verify()


@WRONG
def test_date_of_the_keys_corrects_it(client: Any, stub: Stub, harness: Harness, wrong: int) -> None:
    stub.time = harness.world.time - wrong
    stub.routes[JWKS] = Answer(body={"keys": []})
    judges_by(client, stub.time)
    assert len(stub.asked) == 1


@WRONG
def test_server_time_of_a_body_counts_more_than_the_date(
    client: Any, stub: Stub, harness: Harness, wrong: int
) -> None:
    stub.time = 7
    # 1_800_000_000 is 2027-01-15T08:00:00Z.
    minutes = "07:50" if wrong > 0 else "08:10"
    body = {"confirmationId": CONFIRMATION_ID, "serverTime": f"2027-01-15T{minutes}:00.000Z"}
    stub.routes[f"/confirmations/{CONFIRMATION_ID}"] = Answer(body=body)
    client.confirmations.get(CONFIRMATION_ID)
    judges_by(client, harness.world.time - wrong)
    assert len(stub.asked) == 1


def test_refusals_tell_the_time_too_and_the_newest_counts(client: Any, stub: Stub, harness: Harness) -> None:
    for wrong in (-5000, 5000, 0):
        stub.time = harness.world.time - wrong
        with pytest.raises(Exception, match="route_not_found"):
            client.confirmations.get(CONFIRMATION_ID)
        judges_by(client, stub.time)


def test_cached_date_is_aged(client: Any, stub: Stub, harness: Harness) -> None:
    stub.time = harness.world.time - 250
    stub.routes[JWKS] = Answer(body={"keys": []}, headers={"age": "250"})
    judges_by(client, harness.world.time)


def test_time_is_asked_for_again_once_the_clock_was_set(client: Any, stub: Stub, harness: Harness) -> None:
    stub.time = harness.world.time
    stub.routes[JWKS] = Answer(body={"keys": []})
    judges_by(client, stub.time)
    harness.world.advance(11)
    stub.time += 11
    harness.world.time -= 3600
    judges_by(client, stub.time)
    assert len(stub.asked) == 2


def test_own_clock_is_used_where_the_service_cannot_be_asked(
    client: Any, stub: Stub, harness: Harness
) -> None:
    stub.routes[JWKS] = Answer(lost=True)
    judges_by(client, harness.world.time)
    assert len(stub.asked) == 1
