"""Which webhooks are authentic."""

import base64
from email.message import Message
from typing import Any

import httpx
import pytest

from countersign import WebhookVerificationError
from countersign.types import LoginWebhookBody, WebhookBody
from support.harness import Harness
from support.signing import (
    CONFIRMATION_ID,
    SESSION_ID,
    SigningKey,
    event,
    login_event,
    new_secret,
    standard_headers,
)
from support.stub import Answer, Stub

JWKS = "/.well-known/jwks.json"
SECRET = new_secret()


@pytest.fixture
def key(stub: Stub) -> SigningKey:
    key = SigningKey()
    stub.routes[JWKS] = Answer(body={"keys": [key.jwk]})
    return key


def reason(client: Any, body: bytes, headers: dict[str, str]) -> str:
    with pytest.raises(WebhookVerificationError) as raised:
        client.webhooks.verify(body, headers)
    return raised.value.reason


def test_events_are_typed(client: Any, key: SigningKey) -> None:
    confirmed = client.webhooks.verify(event(), key.headers(event()))
    assert isinstance(confirmed, WebhookBody)
    assert (confirmed.confirmation_id, confirmed.metadata) == (CONFIRMATION_ID, {"text": "Grüße"})
    login = client.webhooks.verify(login_event(), key.headers(login_event()).items())
    assert isinstance(login, LoginWebhookBody)
    assert (login.session_id, login.result, login.reason) == (SESSION_ID, "confirmed", None)


def test_headers_are_taken_as_servers_have_them(client: Any, key: SigningKey) -> None:
    headers = key.headers(event())
    message = Message()
    for name, value in headers.items():
        message[name] = value
    upper = {name.upper(): value for name, value in headers.items()}
    for form in (message, upper, list(headers.items()), httpx.Headers(headers)):
        assert client.webhooks.verify(event(), form).confirmation_id == CONFIRMATION_ID


def test_raw_bytes_count(client: Any, key: SigningKey) -> None:
    for body in (b" \r\n\t" + event() + b"\n", event().replace(b'"valid"', b'"\\u0076alid"')):
        assert client.webhooks.verify(body, key.headers(body)).confirmation_id == CONFIRMATION_ID
        assert reason(client, body + b" ", key.headers(body)) == "signature_wrong"


def test_forged_published_signatures_are_refused(client: Any, key: SigningKey) -> None:
    body = event()
    good = key.headers(body)
    der = base64.b64decode(good["X-Signature"])
    for signature in (
        "!!!!",
        "MAA=",
        base64.b64encode(der[:-1]).decode(),
        f"sha256={good['X-Signature']}",
        "ü",
    ):
        assert reason(client, body, {**good, "X-Signature": signature}) == "signature_wrong"
    stranger = SigningKey()
    forged = {**stranger.headers(body), "X-Signature-Key-Id": key.kid}
    assert reason(client, body, forged) == "signature_wrong"
    for name in good:
        assert reason(client, body, {**good, name: ""}) == "signature_missing"
        assert (
            reason(client, body, {other: good[other] for other in good if other != name})
            == "signature_missing"
        )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{}",
        b"\xff",
        event()[:-1],
        event().replace(b'"valid"', b'"invalid"'),
        event(phoneNumber=12025550100),
        event(confirmationId=[]),
        login_event(event="login.started"),
        login_event(result="maybe"),
        login_event(sessionId=None),
        b"[" * 20_000,
    ],
)
def test_signed_bodies_that_are_not_events_have_their_own_reason(
    client: Any, key: SigningKey, body: bytes
) -> None:
    assert reason(client, body, key.headers(body)) == "not_an_event"


def test_standard_webhooks_are_verified_by_any_of_the_secrets(stub: Stub, harness: Harness) -> None:
    stub.time = harness.world.time
    stub.routes[JWKS] = Answer(body={"keys": []})
    body = event()
    for secrets in (SECRET, [SECRET], [new_secret(2), SECRET]):
        client = harness.client(stub.url, webhook_secret=secrets)
        headers = standard_headers(SECRET, body, harness.world.time)
        assert client.webhooks.verify(body, headers).confirmation_id == CONFIRMATION_ID
        other = standard_headers(new_secret(3), body, harness.world.time)["webhook-signature"]
        both = f"v1a,AAAA {other} {headers['webhook-signature']}"
        client.webhooks.verify(body, {**headers, "Webhook-Signature": both})


def test_forged_standard_webhooks_are_refused(stub: Stub, harness: Harness) -> None:
    client = harness.client(stub.url, webhook_secret=SECRET)
    body, now = event(), harness.world.time
    good = standard_headers(SECRET, body, now)
    assert reason(client, body + b" ", good) == "signature_wrong"
    for name, value in (
        ("webhook-id", "msg_2"),
        ("webhook-timestamp", str(int(now) + 1)),
        ("webhook-signature", standard_headers(new_secret(2), body, now)["webhook-signature"]),
        ("webhook-signature", good["webhook-signature"].replace("v1,", "v2,")),
        ("webhook-signature", good["webhook-signature"].removeprefix("v1,")),
        ("webhook-signature", "v1,ü"),
    ):
        assert reason(client, body, {**good, name: value}) == "signature_wrong"
    for name in good:
        assert (
            reason(client, body, {other: good[other] for other in good if other != name})
            == "signature_missing"
        )
    # Only the service can make us ask for the time.
    assert stub.asked == []


def test_secret_is_demanded_where_one_is_set(stub: Stub, harness: Harness, key: SigningKey) -> None:
    body = event()
    client = harness.client(stub.url, webhook_secret=SECRET)
    assert reason(client, body, key.headers(body)) == "signature_missing"
    without = harness.client(stub.url)
    assert reason(without, body, standard_headers(SECRET, body, harness.world.time)) == "signature_missing"


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_*", [], [SECRET, "whsec_"]])
def test_malformed_secrets_are_refused_without_showing_them(harness: Harness, secret: Any) -> None:
    with pytest.raises(ValueError) as raised:
        harness.client("https://countersign.example", webhook_secret=secret)
    assert "*" not in str(raised.value)


def test_parsed_bodies_are_refused(client: Any) -> None:
    with pytest.raises(TypeError):
        client.webhooks.verify({"confirmationId": "cfm_1"}, {})
