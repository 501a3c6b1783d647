"""A phone for an app's own tests: the checks, proofs and seals of a phone with the app.

This module does no IO.
"""

import json
import secrets
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from . import _identity as identity
from . import _options as options
from ._api import bearer, path_of
from ._contexts import is_context
from ._json import time_of
from ._links import session_id_of
from ._proofs import LIFETIME_SECONDS, Brought, KnownKey, header_of, key_id, pay_of
from ._requests import Answer, Call, Outcome, Request, judge, lacking
from ._sealing import seal
from ._settings import Settings
from .errors import CountersignError, PhoneRefusal, PhoneRefusedError

REGISTRATION = "countersign-association-key/1"


class PhoneKey:
    """A phone's key pair. Only the public half leaves it."""

    def __init__(self) -> None:
        self._private = ec.generate_private_key(ec.SECP256R1())
        der = self._private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.public = b64encode(der).decode()
        self.id = key_id(self.public)

    def sign(self, text: str) -> bytes:
        """Returns a signature in DER."""
        return self._private.sign(text.encode(), ec.ECDSA(SHA256()))

    def jws(self, claims: Mapping[str, Any]) -> str:
        """Returns a proof with these claims."""
        compact = json.dumps(claims, ensure_ascii=False, separators=(",", ":"))
        signed = f"{header_of(self.id)}.{identity.base64url(compact.encode())}"
        r, s = decode_dss_signature(self.sign(signed))
        return f"{signed}.{identity.base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


class Registration(TypedDict):
    """The JSON of a key, which a phone sends to your server while its user is logged in."""

    publicUserId: str
    publicKey: str
    signature: str


class ConfirmedDetail(TypedDict):
    """The JSON of a login, which the page gets with its event `confirmed` and posts to your server."""

    sessionId: str
    payload: str
    salt: str
    proof: str


@dataclass(frozen=True, kw_only=True)
class Login:
    """A login that this phone has opened, and whose id it has checked."""

    id: str
    token: str = field(repr=False)
    origin: str
    context: str | None
    browser_key: ec.EllipticCurvePublicKey | None
    check_code: str | None
    session: dict[str, Any]
    named: str | None


@dataclass(frozen=True)
class Opening:
    """A link that a phone is about to open, and the token with which it acts on the login."""

    id: str
    token: str = field(repr=False)
    named: str | None

    @property
    def call(self) -> Call[Mapping[str, Any]]:
        body = {} if self.named is None else {"publicUserId": self.named}
        path = path_of("qr-sessions", self.id, "initiate")
        return Call(Request("POST", path, bearer(self.token), body), lambda answer: answer)

    def refusal(self, app_key: str, answer: Mapping[str, Any]) -> PhoneRefusal | None:
        """Returns why a phone would refuse to show an answer, or None if the answer matches its id."""
        origin, context, key = (answer.get(name) for name in ("origin", "context", "browserPublicKey"))
        if self.id.startswith("qrp_"):
            if key is not None:
                return "key_unexpected"
            if context is not None:
                return "context_unexpected"
        elif key is None:
            return "key_missing"
        elif context is not None and not (isinstance(context, str) and is_context(context)):
            return "context_malformed"
        elif not _vouches(self.id, app_key, origin, context, key):
            return "key_mismatch"
        return None if _is_whole(answer) else "answer_malformed"

    @property
    def report(self) -> Request:
        """Reports to the service that this phone refuses its answer."""
        return _decision(self.id, self.token, "deny", {"payload": "", "reason": "key_mismatch"})

    def opened(self, answer: Mapping[str, Any]) -> Login:
        key = answer.get("browserPublicKey")
        return Login(
            id=self.id,
            token=self.token,
            origin=answer["origin"],
            context=answer.get("context"),
            browser_key=None if key is None else identity.key_of_point(key),
            check_code=answer.get("checkCode"),
            session=answer["session"],
            named=self.named,
        )


def opening(link: str, as_user: str | None, allow_unencrypted: bool) -> Opening:
    options.flag("allow_unencrypted", allow_unencrypted)
    if not isinstance(link, str):
        raise ValueError("link is not a text")
    id = session_id_of(link)
    if id.startswith("qrp_") and not allow_unencrypted:
        raise PhoneRefusedError("plain_refused")
    named = None if as_user is None else options.text("as_user", as_user)
    return Opening(id, identity.base64url(secrets.token_bytes(32)), named)


class PhoneCore:
    """The state of a phone, and its signatures."""

    def __init__(self, settings: Settings, user_id: str) -> None:
        self.app_key = settings.require_app_key()
        self.user_id = options.text("user_id", user_id)
        self.key = PhoneKey()
        if not settings.is_test:
            raise CountersignError("a test phone needs a client with a test key: cs_test_...")

    @property
    def known_key(self) -> KnownKey:
        return KnownKey(self.key.public, self.user_id)

    def registration(self) -> Registration:
        """Returns the registration that a phone sends to the app's server."""
        signed = "\n".join((REGISTRATION, self.app_key, self.user_id))
        signature = b64encode(self.key.sign(signed)).decode()
        return Registration(publicUserId=self.user_id, publicKey=self.key.public, signature=signature)

    def confirm(
        self, login: Login, payload: str, key: PhoneKey, now: float
    ) -> tuple[Request, ConfirmedDetail]:
        """Returns the request that confirms, and the values that the page gets with its event `confirmed`."""
        brought = Brought(payload, identity.base64url(secrets.token_bytes(16)))
        proof = key.jws(self._claims(login, brought, int(now)))
        plain = {"payload": brought.payload, "salt": brought.salt}
        body: dict[str, Any] = {**plain, "proof": proof}
        if login.browser_key is not None:
            info = identity.framed("countersign/qr/2", login.id, login.origin)
            sealed = seal(json.dumps(plain).encode(), login.browser_key, info)
            body = {"payload": identity.base64url(sealed), "encrypted": True, "proof": proof}
        detail = ConfirmedDetail(sessionId=login.id, payload=payload, salt=brought.salt, proof=proof)
        return _decision(login.id, login.token, "confirm", body), detail

    def _claims(self, login: Login, brought: Brought, now: int) -> dict[str, Any]:
        claims = {
            "act": "confirm",
            "app": self.app_key,
            "aud": login.origin,
            "ctx": None if login.context is None else identity.digest("ctx", login.context.encode()),
            "exp": now + LIFETIME_SECONDS,
            "iat": now,
            "jti": login.id,
            "pay": pay_of(brought),
            "sub": login.named,
        }
        return {name: value for name, value in claims.items() if value is not None}


def deny(login: Login, payload: str) -> Request:
    return _decision(login.id, login.token, "deny", {"payload": payload})


def expire(login: Login) -> Call[None]:
    """Makes a test login expire."""
    request = Request("POST", path_of("qr-sessions", login.id, "expire"), may_be_empty=True)
    return Call(request, lambda _: None)


def check_decided(outcome: Outcome, address: str) -> None:
    if not (isinstance(outcome, Answer) and outcome.status == 200 and outcome.body is True):
        judge(outcome, address)
        raise lacking("decision")


def _decision(id: str, token: str, action: str, body: Mapping[str, Any]) -> Request:
    """Returns a request without the API key: the phone's token identifies who decides."""
    return Request("POST", path_of("qr-sessions", id, action), bearer(token), body)


def _vouches(id: str, app_key: str, origin: Any, context: str | None, key: Any) -> bool:
    try:
        point = identity.point_of(identity.key_of_point(key))
        return identity.session_id(app_key, options.origin(origin), context or "", point) == id
    except (AttributeError, TypeError, ValueError):
        return False


def _is_whole(answer: Mapping[str, Any]) -> bool:
    """Returns whether an answer has everything that a phone shows."""
    app, digits = answer.get("app"), answer.get("checkCode")
    times = [time_of(answer.get(name)) for name in ("expiresAt", "serverTime")]
    return (
        isinstance(answer.get("session"), dict)
        and isinstance(answer.get("origin"), str)
        and isinstance(app, dict)
        and isinstance(app.get("name"), str)
        and (digits is None or (isinstance(digits, str) and len(digits) == 2 and digits.isdecimal()))
        and None not in times
    )
