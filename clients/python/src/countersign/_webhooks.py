"""Verifies webhooks: that the service sent them, and what they report."""

import hashlib
import hmac
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

from ._flow import Flow
from ._json import read
from ._keys import KeySet
from .errors import WebhookVerificationError
from .types import LoginWebhookBody, WebhookBody

Event: TypeAlias = WebhookBody | LoginWebhookBody


class HasItems(Protocol):
    """A mapping, or what frameworks have in its place."""

    def items(self) -> Iterable[tuple[str, str]]: ...


Headers: TypeAlias = HasItems | Iterable[tuple[str, str]]

TOLERANCE_SECONDS = 300


class WebhookVerifier:
    def __init__(self, keys: KeySet, secret: str | Sequence[str] | None) -> None:
        self._keys = keys
        self._secrets = _secrets(secret)

    def verify(self, body: bytes, headers: Headers) -> Flow[Event]:
        if not isinstance(body, bytes):
            raise TypeError("the body must be the raw bytes of the request")
        named = lower(headers)
        if self._secrets:
            yield from self._by_secret(body, named)
        else:
            yield from self._by_published_key(body, named)
        return parse_event(body)

    def _by_secret(self, body: bytes, headers: Mapping[str, str]) -> Flow[None]:
        try:
            identity, timestamp, signatures = (
                headers[f"webhook-{name}"] for name in ("id", "timestamp", "signature")
            )
        except KeyError:
            raise WebhookVerificationError("signature_missing") from None
        signed = f"{identity}.{timestamp}.".encode() + body
        if not any(_matches(secret, signed, signatures) for secret in self._secrets):
            raise WebhookVerificationError("signature_wrong")
        # After the signature, so that only the service can make us ask for the time.
        if not re.fullmatch(r"[0-9]{1,12}", timestamp):
            raise WebhookVerificationError("timestamp_out_of_range")
        now = yield from self._keys.time()
        if abs(now - int(timestamp)) > TOLERANCE_SECONDS:
            raise WebhookVerificationError("timestamp_out_of_range")

    def _by_published_key(self, body: bytes, headers: Mapping[str, str]) -> Flow[None]:
        kid, signature = headers.get("x-signature-key-id"), headers.get("x-signature")
        if not kid or not signature:
            raise WebhookVerificationError("signature_missing")
        key = yield from self._keys.find(kid)
        if key is None:
            raise WebhookVerificationError("signature_wrong")
        try:
            # The signature is DER, which `verify` expects.
            key.verify(b64decode(signature, validate=True), body, ec.ECDSA(SHA256()))
        except (InvalidSignature, ValueError):
            raise WebhookVerificationError("signature_wrong") from None


def lower(headers: Headers) -> dict[str, str]:
    """Returns headers by their names in lower case."""
    pairs: Any = headers.items() if hasattr(headers, "items") else headers
    return {name.lower(): value for name, value in pairs}


def parse_event(body: bytes) -> Event:
    try:
        event: Any = json.loads(body.decode())
        if event.get("event") in ("login.confirmed", "login.denied"):
            if isinstance(event["sessionId"], str) and event["result"] in ("confirmed", "denied"):
                return read(LoginWebhookBody, event)
        elif isinstance(event["confirmationId"], str) and isinstance(event["phoneNumber"], str):
            if event["validationStatus"] == "valid":
                return read(WebhookBody, event)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise WebhookVerificationError("not_an_event")


def _secrets(secret: str | Sequence[str] | None) -> list[bytes]:
    if secret is None:
        return []
    secrets = [secret] if isinstance(secret, str) else list(secret)
    try:
        decoded = [b64decode(text.removeprefix("whsec_"), validate=True) for text in secrets]
    except ValueError:
        decoded = []
    if not decoded or not all(decoded):
        # The cause could show a part of the secret.
        raise ValueError("webhook_secret must be whsec_ and Base64, or a list of these") from None
    return decoded


def _matches(secret: bytes, signed: bytes, signatures: str) -> bool:
    expected = b"v1," + b64encode(hmac.digest(secret, signed, hashlib.sha256))
    return any(hmac.compare_digest(expected, given.encode()) for given in signatures.split(" "))
