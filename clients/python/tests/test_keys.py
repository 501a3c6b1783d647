"""The published keys: fetched once, cached, and fetched again when one is unknown."""

from typing import Any

import pytest

from countersign import KeysUnavailableError, WebhookVerificationError
from support.harness import Harness
from support.signing import SigningKey, event
from support.stub import Answer, Stub

JWKS = "/.well-known/jwks.json"


def publish(stub: Stub, *keys: SigningKey, **headers: str) -> None:
    stub.routes[JWKS] = Answer(body={"keys": [key.jwk for key in keys]}, headers=headers)


def test_new_key_is_found_and_the_old_one_stays_valid(client: Any, stub: Stub, harness: Harness) -> None:
    first, second = SigningKey(), SigningKey()
    publish(stub, first)
    body = event()
    assert client.webhooks.verify(body, first.headers(body)).phone_number == "+12025550100"
    harness.world.advance(11)
    publish(stub, second, first)
    client.webhooks.verify(body, second.headers(body))
    client.webhooks.verify(body, first.headers(body))
    assert len(stub.asked) == 2


def test_invented_key_ids_cause_one_fetch_in_ten_seconds(client: Any, stub: Stub, harness: Harness) -> None:
    key = SigningKey()
    publish(stub, key)
    body = event()
    forged = {**key.headers(body), "X-Signature-Key-Id": "invented"}
    with pytest.raises(WebhookVerificationError) as raised:
        client.webhooks.verify(body, forged)
    assert raised.value.reason == "signature_wrong"
    for _ in range(3):
        with pytest.raises(KeysUnavailableError):
            client.webhooks.verify(body, forged)
    client.webhooks.verify(body, key.headers(body))
    assert len(stub.asked) == 1
    harness.world.advance(10)
    with pytest.raises(WebhookVerificationError):
        client.webhooks.verify(body, forged)
    assert len(stub.asked) == 2


def test_concurrent_webhooks_share_one_fetch(client: Any, stub: Stub, harness: Harness) -> None:
    key = SigningKey()
    publish(stub, key)
    body = event()
    calls = [lambda raw: raw.webhooks.verify(body, key.headers(body))] * 16
    events = harness.together(client, calls)
    assert [event.phone_number for event in events] == ["+12025550100"] * 16
    assert len(stub.asked) == 1


def test_keys_are_kept_as_long_as_the_service_allows(client: Any, stub: Stub, harness: Harness) -> None:
    key = SigningKey()
    body = event()
    for headers, seconds in (({}, 300), ({"cache-control": "public, max-age=60"}, 60)):
        publish(stub, key, **headers)
        stub.asked.clear()
        harness.world.advance(1000)
        client.webhooks.verify(body, key.headers(body))
        harness.world.advance(seconds - 1)
        client.webhooks.verify(body, key.headers(body))
        assert len(stub.asked) == 1
        harness.world.advance(2)
        client.webhooks.verify(body, key.headers(body))
        assert len(stub.asked) == 2


@pytest.mark.parametrize(
    "answer",
    [
        Answer(503, "down"),
        Answer(301, "", {"location": "/elsewhere"}),
        Answer(200, "<html>"),
        Answer(200, {}),
        Answer(200, {"keys": 7}),
        Answer(lost=True),
    ],
)
def test_keys_that_cannot_be_fetched_decide_nothing(
    client: Any, stub: Stub, harness: Harness, answer: Answer
) -> None:
    key = SigningKey()
    body = event()
    stub.routes[JWKS] = answer
    with pytest.raises(KeysUnavailableError):
        client.webhooks.verify(body, key.headers(body))
    # The service sends the webhook again, so this library does not retry.
    assert len(stub.asked) == 1
    publish(stub, key)
    harness.world.advance(10)
    client.webhooks.verify(body, key.headers(body))


def test_keys_of_other_kinds_are_skipped(client: Any, stub: Stub, harness: Harness) -> None:
    key = SigningKey()
    others = [
        {"kty": "RSA", "kid": "rsa", "n": "AQAB", "e": "AQAB"},
        {"kty": "EC", "crv": "P-384", "kid": "p384", "x": "AA", "y": "AA"},
        {"kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": "AA"},
    ]
    stub.routes[JWKS] = Answer(body={"keys": [*others, key.jwk]})
    body = event()
    client.webhooks.verify(body, key.headers(body))
    for other in others:
        harness.world.advance(11)
        with pytest.raises(WebhookVerificationError):
            client.webhooks.verify(body, {**key.headers(body), "x-signature-key-id": str(other["kid"])})
