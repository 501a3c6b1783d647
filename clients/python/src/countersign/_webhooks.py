"""Verifies webhooks: that the service sent them, and what they report. This module does no IO."""

import hashlib
import hmac
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

from . import _options as options
from ._json import read
from .errors import CountersignError, WebhookVerificationError
from .types import LoginWebhookBody, PhoneRegisteredWebhookBody, WebhookBody

Event: TypeAlias = WebhookBody | LoginWebhookBody | PhoneRegisteredWebhookBody


class HasItems(Protocol):
    """A mapping, or a framework's equivalent. Values may be lists."""

    def items(self) -> Iterable[tuple[str, Any]]: ...


Headers: TypeAlias = HasItems | Iterable[tuple[str, Any]] | Iterable[tuple[bytes, bytes]] | None
Body: TypeAlias = bytes | bytearray | memoryview | str

TOLERANCE_SECONDS = 300
MIN_SECRET = 16
# The Base64 after `v1,` may begin like a version, but then no comma follows.
SIGNATURE_BREAK = re.compile(r"[ ,]+(?=v\d+[a-z]*,)")


@dataclass(frozen=True)
class SecretSigned:
    """A webhook that has the signature of an app's secret, and may be too old."""

    body: bytes
    signed_at: int

    def event(self, now: float) -> Event:
        if abs(now - self.signed_at) > TOLERANCE_SECONDS:
            raise WebhookVerificationError("timestamp_out_of_range")
        return parse_event(self.body)


@dataclass(frozen=True)
class KeySigned:
    """A webhook with the id of the published key that signed it."""

    body: bytes
    kid: str
    signature: str

    def event(self, key: ec.EllipticCurvePublicKey | None) -> Event:
        if key is None:
            raise WebhookVerificationError("signature_wrong")
        try:
            # The signature is DER, as `verify` expects.
            key.verify(b64decode(self.signature, validate=True), self.body, ec.ECDSA(SHA256()))
        except (InvalidSignature, ValueError):
            raise WebhookVerificationError("signature_wrong") from None
        return parse_event(self.body)


class WebhookVerifier:
    def __init__(self, webhook_secret: Any, webhook_keys: Any) -> None:
        self._secrets = options.secrets(webhook_secret, _decode_secret)
        self._by_keys = options.given("webhook_keys", webhook_keys) is not None
        if self._by_keys and webhook_keys != "published":
            raise ValueError("webhook_keys can only be 'published'")
        if self._by_keys and self._secrets:
            raise ValueError("webhook_secret and webhook_keys exclude each other")

    def require_verification(self) -> None:
        """Raises if the options do not say how webhooks are verified."""
        if not self._secrets and not self._by_keys:
            raise CountersignError(
                "webhooks cannot be verified: set webhook_secret, or webhook_keys='published', which takes those of "
                "other apps, too"
            )

    def check(self, body: Body, headers: Headers) -> SecretSigned | KeySigned:
        """Checks what needs neither the service's time nor its keys.

        `event` of the result checks the rest.
        """
        self.require_verification()
        raw, named = raw_bytes(body), lower(headers)
        return self._by_secret(raw, named) if self._secrets else self._by_published_key(raw, named)

    def _by_secret(self, body: bytes, headers: Mapping[str, str]) -> SecretSigned:
        identity, timestamp, signatures = (
            headers.get(f"webhook-{name}") for name in ("id", "timestamp", "signature")
        )
        if not identity or not timestamp or not signatures:
            raise WebhookVerificationError("signature_missing")
        signed = f"{identity}.{timestamp}.".encode() + body
        if not any(_matches(secret, signed, signatures) for secret in self._secrets):
            raise WebhookVerificationError("signature_wrong")
        # This is checked after the signature, so that only the service can make us request the time.
        if not re.fullmatch(r"[0-9]{1,12}", timestamp):
            raise WebhookVerificationError("timestamp_out_of_range")
        return SecretSigned(body, int(timestamp))

    def _by_published_key(self, body: bytes, headers: Mapping[str, str]) -> KeySigned:
        kid, signature = headers.get("x-signature-key-id"), headers.get("x-signature")
        if not kid or not signature:
            raise WebhookVerificationError("signature_missing")
        # A malformed id, such as that of a repeated header, triggers no fetch.
        if not re.fullmatch(r"[\w-]{1,128}", kid, re.ASCII):
            raise WebhookVerificationError("signature_wrong")
        return KeySigned(body, kid, signature)


def raw_bytes(body: Any) -> bytes:
    """Returns the bytes of a body. A parsed body is not what was signed."""
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    raise TypeError("pass the raw body: the bytes of the request as they arrived")


def lower(headers: Headers) -> dict[str, str]:
    """Returns headers by their names in lower case.

    Multiple values are joined with commas, as HTTP defines.
    """
    given: Any = headers or ()
    pairs = given.items() if hasattr(given, "items") else given
    named: dict[str, list[str]] = {}
    for name, value in pairs:
        texts = value if isinstance(value, (list, tuple)) else [value]
        found = [_header_text(text).strip() for text in texts if isinstance(text, (str, bytes))]
        named.setdefault(_header_text(name).lower(), []).extend(found)
    return {name: ", ".join(found) for name, found in named.items() if found}


def _header_text(text: str | bytes) -> str:
    return text.decode("latin-1") if isinstance(text, bytes) else text


def parse_event(body: bytes) -> Event:
    try:
        event: Any = json.loads(body.decode())
        if event.get("event") in ("login.confirmed", "login.denied"):
            if _is_text(event["sessionId"]) and event["result"] in ("confirmed", "denied"):
                return read(LoginWebhookBody, event)
        elif event.get("event") == "phone.registered":
            if all(_is_text(event[member]) for member in ("registrationId", "publicUserId", "keyId")):
                return read(PhoneRegisteredWebhookBody, event)
        elif _is_text(event["confirmationId"]) and _is_text(event["phoneNumber"]):
            if event["validationStatus"] == "valid":
                return read(WebhookBody, event)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise WebhookVerificationError("not_an_event")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _decode_secret(secret: Any) -> bytes:
    encoded = secret.removeprefix("whsec_") if isinstance(secret, str) else ""
    try:
        decoded = b64decode(encoded, validate=True)
    except ValueError:
        decoded = b""
    # The comparison refuses other spellings, such as one without the prefix.
    is_whole = len(decoded) >= MIN_SECRET and secret == "whsec_" + b64encode(decoded).decode()
    if not is_whole:
        raise ValueError("webhook_secret must be whsec_ and Base64, or a list of these")
    return decoded


def _matches(secret: bytes, signed: bytes, signatures: str) -> bool:
    expected = b"v1," + b64encode(hmac.digest(secret, signed, hashlib.sha256))
    return any(hmac.compare_digest(expected, given.encode()) for given in SIGNATURE_BREAK.split(signatures))
