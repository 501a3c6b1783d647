"""Verifies proofs that passkeys signed. This module does no IO."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

from ._identity import base64url, from_base64url
from .errors import LoginVerificationError

USER_PRESENT = 1
USER_VERIFIED = 1 << 2
BACKUP_ELIGIBLE = 1 << 3
BACKED_UP = 1 << 4
ATTESTED = 1 << 6
MIN_AUTHENTICATOR_DATA = 37
"""Hash, flags and counter."""


@dataclass(frozen=True)
class Passkey:
    """The page whose passkey a key is."""

    rp_id: str
    origin: str


def signed_claims(proof: str, key: ec.EllipticCurvePublicKey, passkey: Passkey) -> dict[str, Any]:
    """Returns the claims of a proof that this passkey signed. The claims are not checked.

    The proof's parts are header, claims, authenticator data, client data and signature.
    """
    header, claims, *assertion = proof.split(".")
    try:
        authenticator_data, client_data, signature = map(from_base64url, assertion)
        members, found = _members(client_data), _members(from_base64url(claims))
    except ValueError:
        raise LoginVerificationError("the proof is malformed") from None
    challenge = hashlib.sha256(b"countersign/webauthn/1\0" + f"{header}.{claims}".encode()).digest()
    _check_client_data(members, base64url(challenge), passkey.origin)
    _check_authenticator_data(authenticator_data, passkey.rp_id)
    # The signature is over the bytes that the browser hashed, not over JSON written again.
    signed = authenticator_data + hashlib.sha256(client_data).digest()
    try:
        key.verify(signature, signed, ec.ECDSA(SHA256()))
    except InvalidSignature:
        raise LoginVerificationError("signed by another key") from None
    return found


def _check_client_data(members: dict[str, Any], challenge: str, origin: str) -> None:
    _holds(members.get("type") == "webauthn.get", "not an assertion of a passkey")
    _holds(members.get("challenge") == challenge, "the passkey signed something else")
    _holds(members.get("origin") == origin, "the passkey was used on another page")
    own = members.get("crossOrigin", False) is False and "topOrigin" not in members
    _holds(own, "the passkey was used in a frame of another site")


def _check_authenticator_data(data: bytes, rp_id: str) -> None:
    _holds(len(data) >= MIN_AUTHENTICATOR_DATA, "the authenticator data is too short")
    _holds(data[:32] == hashlib.sha256(rp_id.encode()).digest(), "the passkey belongs to another domain")
    flags = data[32]
    verified = USER_PRESENT | USER_VERIFIED
    _holds(flags & verified == verified, "the phone did not verify its user")
    may_be_copied = bool(flags & BACKUP_ELIGIBLE)
    _holds(may_be_copied or not flags & BACKED_UP, "the passkey was copied although it cannot be")
    _holds(not flags & ATTESTED, "not an assertion of a passkey")


def _members(raw: bytes) -> dict[str, Any]:
    """Returns the members of a JSON object. Raises a ValueError for another value.

    Two members of one name are refused: `json` would keep the last of them, and other verifiers the first.
    """
    # Objects inside may repeat these names, so only the outermost one, which is the last, is checked.
    pairs: list[tuple[str, Any]] = []

    def keep(found: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal pairs
        pairs = found
        return dict(found)

    try:
        value = json.loads(raw.decode(), object_pairs_hook=keep, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict) or len(pairs) != len(value):
        raise ValueError("not an object with distinct members")
    return value


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _holds(condition: bool, reason: str) -> None:
    if not condition:
        raise LoginVerificationError(reason)
