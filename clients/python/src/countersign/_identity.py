"""Ids and tokens that the library computes itself, so that it does not have to trust the service.

This module does no IO.
"""

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def base64url(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def from_base64url(text: str) -> bytes:
    """Decodes base64url without padding. Raises a ValueError for another spelling."""
    raw = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    if base64url(raw) != text:
        raise ValueError("not base64url without padding")
    return raw


def digest(what: str, content: bytes) -> str:
    """Returns the SHA-256 of some content for one purpose, in base64url."""
    return base64url(hashlib.sha256(f"countersign/{what}/1\0".encode() + content).digest())


def framed(*parts: str | bytes) -> bytes:
    """Joins parts, each preceded by its length in two bytes, so that different lists have different results."""
    raw = [part.encode() if isinstance(part, str) else part for part in parts]
    return b"".join(len(part).to_bytes(2, "big") + part for part in raw)


def session_id(app_key: str, origin: str, context: str, browser_key: bytes) -> str:
    """Returns the id of a login whose browser has a key. `context` is empty for a login without one."""
    content = framed("countersign/login-id/1", app_key, origin, context, browser_key)
    return "qrs_" + hashlib.sha256(content).hexdigest()[:32]


def approval_token(api_key: str, browser_key: bytes) -> str:
    """Returns the browser's token of an approval.

    The same key pair yields the same token, even in another process.
    """
    message = b"countersign/approval-token/1\0" + browser_key
    return base64url(hmac.digest(api_key.encode(), message, hashlib.sha256))


def page_token(browser_token: str) -> str:
    """Returns the token with which a page watches a login.

    The login's own token cannot be computed from it.
    """
    return digest("login-page-token", from_base64url(browser_token))


def approval_id(session_id: str, user_id: str) -> str:
    """Returns the id of an approval in a store. It is valid only for this user."""
    content = b"countersign/approval/1" + framed(session_id, user_id)
    return "apr_" + base64url(hashlib.sha256(content).digest())


def point_of(key: ec.EllipticCurvePublicKey) -> bytes:
    """Returns a public key in the service's form: an uncompressed point of 65 bytes."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def key_of_point(text: str) -> ec.EllipticCurvePublicKey:
    """Returns the key of a point in base64url. Raises a ValueError if it is not one on the curve."""
    raw = from_base64url(text)
    if len(raw) != 65:
        raise ValueError("not an uncompressed point")
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), raw)
