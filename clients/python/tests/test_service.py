"""The library with the real service, and with the phones that it simulates."""

import base64
import json
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from countersign import KnownKey, LoginVerificationError, ProblemError
from support.harness import Harness
from support.receiver import PATIENCE, Receiver
from support.service import RealService
from support.signing import base64url


@pytest.fixture
def client(harness: Harness, service: RealService) -> Any:
    keys = {"api_key": service.api_key, "app_key": service.app_key}
    return harness.client(service.url, real_time=True, **keys)


def listen(harness: Harness, client: Any, receiver: Receiver, **more: Any) -> list[Any]:
    """Makes the receiver answer for this client. Returns the list of events that it acts on."""
    acted: list[Any] = []
    receiver.handler = harness.webhook_handler(client, on_verified=harness.callback(acted.append), **more)
    return acted


def delivered(client: Any, id: str) -> None:
    """Waits until the service has recorded our answer. Until then it does not send the webhook again."""
    deadline = time.monotonic() + PATIENCE
    while client.confirmations.get(id).delivery.status != "delivered":
        assert time.monotonic() < deadline


def test_number_is_acquired(harness: Harness, client: Any, service: RealService, receiver: Receiver) -> None:
    acted = listen(harness, client, receiver)
    started = client.confirmations.acquire(callback_url=receiver.url, metadata={"é": [1.5, None]})
    assert 290 <= started.expires_in <= 300
    assert started.confirmation_message in started.confirmation_uri.sms
    service.text(started)
    assert receiver.next() == (200, "accepted")
    [event] = acted
    assert (event.confirmation_id, event.phone_number) == (started.confirmation_id, "+12025550100")
    assert event.metadata == {"é": [1.5, None]}

    confirmation = client.confirmations.get(started.confirmation_id)
    assert (confirmation.status, confirmation.result.phone_number) == ("verified", "+12025550100")
    delivered(client, started.confirmation_id)
    client.confirmations.redeliver(started.confirmation_id)
    assert receiver.next() == (200, "already accepted")
    assert len(acted) == 1
    delivered(client, started.confirmation_id)
    redacted = client.confirmations.redact(started.confirmation_id)
    assert (redacted.phone_number, redacted.redacted_at is None) == (None, False)
    with pytest.raises(ProblemError) as raised:
        client.confirmations.redeliver(started.confirmation_id)
    assert (raised.value.status, raised.value.code) == (409, "confirmation_redacted")


def test_number_of_a_test_is_found_in_the_record(
    harness: Harness, service: RealService, receiver: Receiver
) -> None:
    client = harness.client(service.url, real_time=True, api_key=service.test_key)
    records: dict[str, str] = {}
    acted = listen(harness, client, receiver)

    def record(started: Any) -> None:
        records[started.confirmation_id] = started.phone_number

    started = client.confirmations.confirm(
        phone_number="(500) 555-0001",
        country="US",
        callback_url=receiver.url,
        on_started=harness.callback(record),
    )
    # The webhook is sent once, after the answer, and contains the number of the record.
    assert receiver.next() == (200, "accepted")
    [event] = acted
    assert records == {event.confirmation_id: event.phone_number}
    delivered(client, started.confirmation_id)
    assert len(client.confirmations.get(started.confirmation_id).delivery.attempts) == 1


def test_known_number_is_confirmed_only_by_itself(
    harness: Harness, client: Any, service: RealService, receiver: Receiver
) -> None:
    acted = listen(harness, client, receiver)
    started = client.confirmations.confirm(phone_number="+1 202 555-0111", callback_url=receiver.url)
    service.text(started, "+12025550100")
    missed = client.confirmations.get(started.confirmation_id)
    assert (missed.status, missed.last_miss.reason) == ("open", "wrong_sender")
    service.text(started, "+12025550111")
    assert receiver.next() == (200, "accepted")
    assert [event.phone_number for event in acted] == ["+12025550111"]


def test_confirmations_are_listed_by_number_and_status(client: Any, receiver: Receiver) -> None:
    request = {"phone_number": "+12025550177", "callback_url": receiver.url}
    *started, cancelled = [client.confirmations.confirm(**request).confirmation_id for _ in range(4)]
    client.confirmations.cancel(cancelled)
    found = client.confirmations.list(last_digits="0177", status="open", limit=2)
    listed = [each.confirmation_id for each in found]
    # The service also lists confirmations from other tests.
    assert set(started) <= set(listed)
    assert cancelled not in listed
    assert len(listed) == len(set(listed))


def test_webhook_of_another_server_is_unknown(
    harness: Harness, client: Any, service: RealService, receiver: Receiver
) -> None:
    acted = listen(harness, client, receiver)
    other = harness.client(service.url, real_time=True, api_key=service.api_key)
    service.text(other.confirmations.acquire(callback_url=receiver.url))
    assert receiver.next() == (404, "unknown confirmation")
    assert acted == []


def test_cancelled_confirmation(client: Any, receiver: Receiver) -> None:
    started = client.confirmations.acquire(callback_url=receiver.url)
    assert client.confirmations.cancel(started.confirmation_id).status == "cancelled"
    with pytest.raises(ProblemError) as raised:
        client.confirmations.redact("cfm_" + "0" * 32)
    assert (raised.value.status, raised.value.code) == (404, "confirmation_not_found")
    assert raised.value.request_id.startswith("req_")


def test_problems_are_typed(harness: Harness, client: Any, service: RealService) -> None:
    with pytest.raises(ProblemError) as raised:
        client.confirmations.confirm(phone_number="0151 23456", callback_url="http://127.0.0.1:1/")
    problem = raised.value
    assert (problem.status, problem.code, problem.field) == (
        422,
        "phone_number_not_international",
        "/phoneNumber",
    )
    assert "0151" not in str(problem)
    stranger = harness.client(service.url, real_time=True, api_key="cs_live_" + "x" * 49)
    with pytest.raises(ProblemError) as raised:
        stranger.confirmations.acquire()
    assert raised.value.status == 401


def test_idempotency_key_starts_one_confirmation(client: Any, receiver: Receiver) -> None:
    key = secrets.token_hex()
    ids = {
        client.confirmations.acquire(callback_url=receiver.url, idempotency_key=key).confirmation_id
        for _ in range(2)
    }
    assert len(ids) == 1


@pytest.mark.parametrize("wrong", [-600, 0, 600])
def test_webhook_signatures_are_verified(
    harness: Harness, service: RealService, receiver: Receiver, wrong: int
) -> None:
    service.run("app", "webhook-secret", "demo", "--rotate")
    both = service.run("app", "webhook-secret", "demo")["webhookSecrets"]
    for secret in (both, both[0], both[1]):
        client = harness.client(service.url, real_time=True, api_key=service.api_key, webhook_secret=secret)
        harness.raw(client)._seam.time = lambda: time.time() + wrong
        acted = listen(harness, client, receiver)
        service.text(client.confirmations.acquire(callback_url=receiver.url))
        assert receiver.next() == (200, "accepted")
        assert len(acted) == 1
    service.run("app", "webhook-secret", "demo", "--retire")


def test_rotated_key_is_found(harness: Harness, service: RealService, receiver: Receiver) -> None:
    # Using the rotated key must not wait for the ten seconds.
    client = harness.client(service.url, real_time=True, api_key=service.api_key, key_refetch_seconds=0)
    listen(harness, client, receiver)
    for _ in range(2):
        service.text(client.confirmations.acquire(callback_url=receiver.url))
        assert receiver.next() == (200, "accepted")
        service.run("signing-key", "rotate")


class Browser:
    """A browser that opens logins, whose key and token the server keeps."""

    def __init__(self, client: Any, service: RealService, **more: Any) -> None:
        self._service = service
        self._key = ec.generate_private_key(ec.SECP256R1())
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self._token = base64url(secrets.token_bytes(32))
        public_key = base64url(point)
        self.opened = client.logins.create(
            browser_token=self._token, origin=service.url, browser_public_key=public_key, **more
        )

    def redeem(self) -> dict[str, str]:
        """Returns what the page gets with its event `confirmed`."""
        answer = httpx.post(
            f"{self._service.url}/qr-sessions/{self.opened.session_id}/redeem",
            headers={"authorization": f"Bearer {self._token}"},
            json={"receipt": base64url(secrets.token_bytes(16))},
        ).json()
        texts = ("countersign/qr/2", self.opened.session_id, self._service.url)
        info = b"".join(len(text).to_bytes(2, "big") + text.encode() for text in texts)
        sealed = base64.urlsafe_b64decode(answer["payload"] + "==")
        suite = Suite(KEM.P256, KDF.HKDF_SHA256, AEAD.AES_256_GCM)
        plain = json.loads(suite.decrypt(sealed, self._key, info))
        return {"session_id": self.opened.session_id, "proof": answer["proof"], **plain}


@pytest.fixture(scope="module")
def known(service: RealService) -> KnownKey:
    words = ("keys", "create", "--public-user-id", "zoe", "--app-key", service.app_key)
    created = service.phone(*words)
    return KnownKey(created["publicKey"], "zoe")


CONFIRM = ("--confirm", "--payload", "hello", "--public-user-id", "zoe")


def test_login_from_opening_to_proof(
    harness: Harness, client: Any, service: RealService, known: KnownKey
) -> None:
    browser = Browser(client, service)
    assert client.logins.get(browser.opened.session_id).state == "created"
    service.phone("open", browser.opened.url, *CONFIRM)
    inspected = client.logins.get(browser.opened.session_id)
    assert (inspected.state, inspected.claimed_public_user_id) == ("confirmed", "zoe")
    detail = browser.redeem()
    assert detail["payload"] == "hello"
    expected = {"origin": service.url, "find_key": harness.callback(lambda _kid: known)}
    login = client.logins.verify(**detail, **expected)
    assert login.user_id == "zoe"
    with pytest.raises(LoginVerificationError):
        client.logins.verify(**{**detail, "payload": "hell0"}, **expected)

    logged_in: list[Any] = []
    on_login = harness.callback(lambda login, _context: logged_in.append(login.user_id))
    handler = harness.login_handler(client, on_login=on_login, **expected)
    body = json.dumps({"sessionId": detail.pop("session_id"), **detail}).encode()
    replies = [handler("POST", {"Origin": service.url}, body).status for _ in range(2)]
    assert (replies, logged_in) == ([200, 403], ["zoe"])


def test_approval_of_a_context(harness: Harness, client: Any, service: RealService, known: KnownKey) -> None:
    browser = Browser(client, service, context="Pay 20 EUR to Zoë")
    service.phone("open", browser.opened.url, *CONFIRM)
    detail = browser.redeem()
    expected = {"origin": service.url, "find_key": harness.callback(lambda _kid: known)}
    assert client.logins.verify(**detail, **expected, context="Pay 20 EUR to Zoë").user_id == "zoe"
    with pytest.raises(LoginVerificationError):
        client.logins.verify(**detail, **expected, context="Pay 20 EUR to Mallory")


def test_cancelled_login(client: Any, service: RealService) -> None:
    browser = Browser(client, service)
    client.logins.cancel(browser.opened.session_id)
    assert client.logins.get(browser.opened.session_id).state == "cancelled"


def test_login_webhooks_are_accepted_for_logins_of_this_server(
    harness: Harness, client: Any, service: RealService, receiver: Receiver, known: KnownKey
) -> None:
    decided: list[Any] = []
    listen(harness, client, receiver, on_login=harness.callback(decided.append))
    service.run("app", "update", "demo", "--login-callback", receiver.url)
    browser = Browser(client, service)
    service.phone("open", browser.opened.url, *CONFIRM)
    assert receiver.next() == (200, "accepted")
    [event] = decided
    assert (event.event, event.session_id) == ("login.confirmed", browser.opened.session_id)
    service.run("app", "update", "demo", "--no-login-callback")


def test_association_keys_are_registered_and_revoked(client: Any, service: RealService) -> None:
    user = secrets.token_hex(8)
    words = ("keys", "create", "--public-user-id", user, "--app-key", service.app_key)
    created = service.phone(*words)
    key = client.association_keys.register(
        public_user_id=user, public_key=created["publicKey"], signature=created["signature"]
    )
    assert key.key_id == created["keyId"]
    assert [key.key_id for key in client.association_keys.list(public_user_id=user)] == [created["keyId"]]
    client.association_keys.revoke(key.key_id)
    assert list(client.association_keys.list(public_user_id=user)) == []


def test_test_webhook_is_unknown(
    harness: Harness, client: Any, service: RealService, receiver: Receiver
) -> None:
    listen(harness, client, receiver)
    words = ("webhook", "test", "--app", "demo", "--url", receiver.url)
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(service.run, *words)
        assert receiver.next() == (404, "unknown confirmation")
        assert sent.result()["status"] == 404
