"""Signs webhooks as the service does, by its keys and by an app's secret."""

import base64
import hashlib
import json
from datetime import datetime, timezone
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from standardwebhooks import Webhook

CONFIRMATION_ID = "cfm_" + "5f0c8a41" * 4
SESSION_ID = "qrs_" + "ab" * 16
REGISTRATION_ID = "phr_" + "5f0c8a41" * 4


def base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def event(**changes: Any) -> bytes:
    body = {
        "carrier": "",
        "confirmationId": CONFIRMATION_ID,
        "metadata": {"text": "Grüße"},
        "phoneNumber": "+12025550100",
        "timestamp": "2026-01-02T03:04:05.678Z",
        "validationStatus": "valid",
        **changes,
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def login_event(**changes: Any) -> bytes:
    body = {
        "event": "login.confirmed",
        "result": "confirmed",
        "sessionId": SESSION_ID,
        "timestamp": "2026-01-02T03:04:05.678Z",
        **changes,
    }
    return json.dumps(body, separators=(",", ":"), sort_keys=True).encode()


def phone_event(**changes: Any) -> bytes:
    body = {
        "event": "phone.registered",
        "keyId": "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s",
        "kind": "passkey",
        "label": "Chrome on Android",
        "publicUserId": "zoe@example.com",
        "registrationId": REGISTRATION_ID,
        "timestamp": "2026-01-02T03:04:05.678Z",
        **changes,
    }
    return json.dumps(body, separators=(",", ":"), sort_keys=True).encode()


class SigningKey:
    """A key of the service."""

    def __init__(self) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        numbers = self.private.public_key().public_numbers()
        x, y = (base64url(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
        self.kid = base64url(hashlib.sha256(x.encode()).digest())
        self.jwk = {
            "kty": "EC",
            "crv": "P-256",
            "x": x,
            "y": y,
            "kid": self.kid,
            "alg": "ES256",
            "use": "sig",
        }

    def headers(self, body: bytes) -> dict[str, str]:
        signature = base64.b64encode(self.private.sign(body, ec.ECDSA(SHA256()))).decode()
        return {"X-Signature": signature, "X-Signature-Key-Id": self.kid}


def new_secret(byte: int = 1) -> str:
    return "whsec_" + base64.b64encode(bytes([byte]) * 32).decode()


def standard_headers(secret: str, body: bytes, time: float) -> dict[str, str]:
    """Returns the headers that the reference library of Standard Webhooks makes."""
    at = datetime.fromtimestamp(int(time), timezone.utc)
    signature = Webhook(secret).sign("msg_1", at, body.decode())
    return {"webhook-id": "msg_1", "webhook-timestamp": str(int(time)), "webhook-signature": signature}
