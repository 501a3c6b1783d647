"""A phone that proves logins. An attacker's may do more than the SDK's."""

import base64
import hashlib
import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from countersign import KnownKey, key_id

from .signing import SESSION_ID, base64url

APP = "cs_app_test"
ORIGIN = "https://shop.example"
SALT = bytes([0x5A]) * 16


class Phone:
    def __init__(self, secret: int = 7, *, user: str = "zoe@example.com", now: float = 0) -> None:
        self._key = ec.derive_private_key(secret, ec.SECP256R1())
        der = self._key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.public_key = base64.b64encode(der).decode()
        self.key_id = key_id(self.public_key)
        self.user = user
        self.now = now
        self.payload = "a token"

    @property
    def known(self) -> KnownKey:
        return KnownKey(self.public_key, self.user)

    def header(self, **changes: Any) -> dict[str, Any]:
        return {"alg": "ES256", "kid": self.key_id, "typ": "countersign-login+jwt", **changes}

    def claims(self, **changes: Any) -> dict[str, Any]:
        claims = {
            "act": "confirm",
            "app": APP,
            "aud": ORIGIN,
            "exp": int(self.now) + 300,
            "iat": int(self.now),
            "jti": SESSION_ID,
            "pay": digest("pay", SALT + self.payload.encode()),
            "sub": self.user,
            **changes,
        }
        return {name: value for name, value in claims.items() if value is not ...}

    def compact(self, header: str | bytes, claims: str) -> str:
        """Signs any header and any claims."""
        raw = header if isinstance(header, bytes) else header.encode()
        return self.signed(f"{base64url(raw)}.{base64url(claims.encode())}")

    def signed(self, text: str) -> str:
        return f"{text}.{base64url(self.sign(text))}"

    def sign(self, text: str) -> bytes:
        r, s = decode_dss_signature(self._key.sign(text.encode(), ec.ECDSA(SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def proof(self, **changes: Any) -> str:
        """Returns a proof with these claims. `...` removes one."""
        return self.compact(dumps(self.header()), dumps(self.claims(**changes)))

    def detail(self, proof: str | None = None, **changes: Any) -> dict[str, str]:
        """Returns what the page gets with its event `confirmed`."""
        detail = {"session_id": SESSION_ID, "payload": self.payload, "salt": base64url(SALT)}
        return {**detail, "proof": self.proof() if proof is None else proof, **changes}


def digest(what: str, content: bytes) -> str:
    return base64url(hashlib.sha256(f"countersign/{what}/1\0".encode() + content).digest())


def dumps(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
