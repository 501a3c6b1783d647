"""Verifies proofs of logins: JWTs that a phone signed, or what its passkey signed. This module does no IO."""

import hashlib
import hmac
import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_public_key, load_pem_public_key

from . import _options as options
from ._identity import base64url, digest, from_base64url
from ._passkeys import Passkey, signed_claims
from .errors import LoginVerificationError

MAX_JWT = 2048
MAX_BY_PASSKEY = 2560
LIFETIME_SECONDS = 300
TOLERANCE_SECONDS = 60
CLAIMS = frozenset({"act", "app", "aud", "exp", "iat", "jti", "pay"})


@dataclass(frozen=True)
class KnownKey:
    """A user's association key: the public half as the mobile SDK gives it (Base64) or as PEM.

    A passkey has what `association_keys.list` returns: `kind`, `rp_id` and `origin`.
    """

    public_key: str
    user_id: str
    kind: str = "app"
    """`app`, `browser` or `passkey`."""
    rp_id: str | None = None
    origin: str | None = None


@dataclass(frozen=True)
class Login:
    """The user who confirmed a login, and the key."""

    user_id: str
    key_id: str


@dataclass(frozen=True)
class Expected:
    """The values that a proof must contain."""

    app_key: str
    origin: str
    session_id: str
    context: str | None


@dataclass(frozen=True)
class Brought:
    """The payload and the salt that a browser sent, which show that it created the login."""

    payload: str
    salt: str


@dataclass(frozen=True)
class Presented:
    """A proof, with the values that it must contain."""

    proof: str
    brought: Brought | None
    expected: Expected

    @property
    def key_id(self) -> str:
        """The id of the proof's key."""
        return named_key(self.proof)

    def login(self, key: KnownKey, now: float) -> Login:
        """Returns the login that the proof proves."""
        return verify(self.proof, self.brought, key, self.expected, now)


def present(
    detail: Mapping[str, Any], app_key: str, origin: str, context: str | None, *, opened_by_server: bool
) -> Presented:
    """Returns the proof from a page's values. `opened_by_server` says that the caller knows the browser."""
    options.origin(origin)
    options.flag("opened_by_server", opened_by_server)
    session_id, payload, salt, proof = (detail[name] for name in ("session_id", "payload", "salt", "proof"))
    is_bare = opened_by_server and payload is None and salt is None
    texts = [session_id, proof, *([] if is_bare else [payload, salt])]
    holds(all(isinstance(text, str) for text in texts), "not four texts")
    brought = None if is_bare else Brought(payload, salt)
    return Presented(proof, brought, Expected(app_key, origin, session_id, context))


def known(key: Any) -> KnownKey:
    """Returns the key that `find_key` found."""
    if key is None:
        raise LoginVerificationError("the key is unknown")
    found: KnownKey = key
    return found


def holds(condition: bool, reason: str) -> None:
    if not condition:
        raise LoginVerificationError(reason)


def named_key(proof: str) -> str:
    """Returns the id of a proof's key."""
    try:
        max_length = MAX_BY_PASSKEY if _is_by_passkey(proof) else MAX_JWT
        holds(len(proof.encode()) <= max_length, "the proof is too long")
        kid = json.loads(from_base64url(proof.split(".")[0])).get("kid")
    except (AttributeError, RecursionError, ValueError):
        kid = None
    holds(isinstance(kid, str), "the proof names no key")
    # Comparing the whole header refuses other spellings and other members, such as `crit`.
    header = passkey_header_of(str(kid)) if _is_by_passkey(proof) else header_of(str(kid))
    holds(proof.split(".")[0] == header, "the header is not that of a proof")
    return str(kid)


def _is_by_passkey(proof: str) -> bool:
    """Whether a proof has the five parts of one that a passkey signed."""
    return proof.count(".") == 4


def verify(proof: str, brought: Brought | None, key: KnownKey, expected: Expected, now: float) -> Login:
    """Returns the login that a proof proves. The caller found the key with `named_key`.

    Without a browser's payload and salt, it shows only who confirmed: the caller has to know the browser from
    elsewhere.
    """
    public_key, passkey = _public_key(key.public_key), _passkey(key)
    holds((passkey is not None) == _is_by_passkey(proof), "the proof has another form than those of its key")
    if passkey is None:
        claims = _jwt_claims(proof, public_key, expected)
    else:
        claims = signed_claims(proof, public_key, passkey)
    _check(claims, expected, key.user_id)
    _check_times(claims["iat"], claims["exp"], now)
    holds(_is_digest(claims["pay"]), "the claims are not those of a proof")
    if brought is not None:
        holds(hmac.compare_digest(claims["pay"], pay_of(brought)), "for another payload")
    return Login(user_id=key.user_id, key_id=named_key(proof))


def _passkey(key: KnownKey) -> Passkey | None:
    """Returns the page of a key that is a passkey. Failures are the caller's fault, not the browser's."""
    if key.kind in ("app", "browser"):
        return None
    if key.kind != "passkey":
        raise ValueError("find_key returned a key of a kind that this version does not know")
    if not isinstance(key.rp_id, str) or not isinstance(key.origin, str):
        raise ValueError("find_key returned a passkey without rp_id or origin")
    return Passkey(key.rp_id, key.origin)


def _jwt_claims(proof: str, key: ec.EllipticCurvePublicKey, expected: Expected) -> dict[str, Any]:
    try:
        claims: dict[str, Any] = jwt.decode(
            proof,
            key,
            algorithms=["ES256"],
            audience=expected.origin,
            # The times are checked below, with the corrected clock.
            options={"strict_aud": True, "verify_exp": False, "verify_iat": False, "verify_nbf": False},
        )
    except (jwt.InvalidTokenError, UnicodeError) as cause:
        raise LoginVerificationError(f"not valid: {type(cause).__name__}") from None
    return claims


def _check(claims: dict[str, Any], expected: Expected, owner: str) -> None:
    required = CLAIMS if expected.context is None else CLAIMS | {"ctx"}
    holds(claims.keys() - {"sub"} == required, "the claims are not those of a proof")
    holds(claims["app"] == expected.app_key, "for another app")
    holds(claims["aud"] == expected.origin, "for another origin")
    holds(claims["jti"] == expected.session_id, "for another session")
    holds(claims["act"] == "confirm", "for another action")
    holds(claims.get("sub", owner) == owner, "the key belongs to another user")
    if expected.context is not None:
        holds(claims["ctx"] == digest("ctx", expected.context.encode()), "for another context")


def _check_times(iat: Any, exp: Any, now: float) -> None:
    whole = type(iat) is int and type(exp) is int
    holds(whole and exp - iat == LIFETIME_SECONDS, "the lifetime is not that of a proof")
    holds(iat <= now + TOLERANCE_SECONDS, "from the future")
    holds(exp > now - TOLERANCE_SECONDS, "expired")


def _is_digest(claim: Any) -> bool:
    try:
        return len(from_base64url(claim)) == 32
    except (AttributeError, TypeError, ValueError):
        return False


def pay_of(brought: Brought) -> str:
    """Computes the claim `pay` of a payload and its salt."""
    try:
        raw = from_base64url(brought.salt)
        holds(len(raw) == 16, "the salt is malformed")
        return digest("pay", raw + brought.payload.encode())
    except ValueError:
        raise LoginVerificationError("the salt or the payload is malformed") from None


def header_of(kid: str) -> str:
    return base64url(f'{{"alg":"ES256","kid":"{kid}","typ":"countersign-login+jwt"}}'.encode())


def passkey_header_of(kid: str) -> str:
    return base64url(f'{{"alg":"WebAuthn-ES256","kid":"{kid}","typ":"countersign-login+webauthn"}}'.encode())


def _public_key(text: str) -> ec.EllipticCurvePublicKey:
    if text.lstrip().startswith("-----BEGIN"):
        key = load_pem_public_key(text.encode())
    else:
        key = load_der_public_key(b64decode(text, validate=True))
    if not isinstance(key, ec.EllipticCurvePublicKey) or key.curve.name != "secp256r1":
        raise ValueError("find_key returned a key that is not P-256")
    return key


def key_id(public_key: str) -> str:
    """Returns the id of an association key, which proofs contain: its JWK thumbprint (RFC 7638)."""
    numbers = _public_key(public_key).public_numbers()
    x, y = (base64url(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
    return base64url(hashlib.sha256(f'{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}'.encode()).digest())
