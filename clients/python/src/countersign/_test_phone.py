"""A phone for an app's own tests, as flows: the checks, proofs and seals of a phone with the app."""

import json
import secrets
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypedDict

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from . import _identity as identity
from . import _options as options
from ._api import header, path_of
from ._assembly import Assembly
from ._contexts import is_context
from ._flow import Flow
from ._json import time_of
from ._links import session_id_of
from ._proofs import LIFETIME_SECONDS, Brought, KnownKey, header_of, key_id, pay_of
from ._requests import Answer, Request, judge, lacking
from ._sealing import seal
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
    """The JSON of a key, which a phone hands to your server while its user is logged in."""

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


class PhoneCore:
    def __init__(self, parts: Assembly, user_id: str) -> None:
        self.app_key = parts.approvals.require_app_key()
        self.user_id = options.text("user_id", user_id)
        self.key = PhoneKey()
        self._service = parts.service
        self._association_keys = parts.association_keys
        if not parts.is_test:
            raise CountersignError("a test phone needs a client with a test key: cs_test_...")

    @property
    def known_key(self) -> KnownKey:
        return KnownKey(self.key.public, self.user_id)

    def registration(self) -> Registration:
        """Returns what a phone hands to the app's server."""
        signed = "\n".join((REGISTRATION, self.app_key, self.user_id))
        signature = b64encode(self.key.sign(signed)).decode()
        return Registration(publicUserId=self.user_id, publicKey=self.key.public, signature=signature)

    def register(self) -> Flow[str]:
        """Registers the key with the service, as the app's server does."""
        handed = self.registration()
        request = {
            "public_user_id": handed["publicUserId"],
            "public_key": handed["publicKey"],
            "signature": handed["signature"],
        }
        answer = yield from self._association_keys.register(request, self._service.limits)
        return answer.key_id

    def open(self, link: str, as_user: str | None, allow_unencrypted: bool) -> Flow[Login]:
        options.flag("allow_unencrypted", allow_unencrypted)
        if not isinstance(link, str):
            raise ValueError("link is not a text")
        id = session_id_of(link)
        if id.startswith("qrp_") and not allow_unencrypted:
            raise PhoneRefusedError("plain_refused")
        token = identity.base64url(secrets.token_bytes(32))
        body = {} if as_user is None else {"publicUserId": options.text("as_user", as_user)}
        call = Request("POST", path_of("qr-sessions", id, "initiate"), _bearer(token), body)
        answer = yield from self._service.call(call, self._service.limits)
        refusal = self._refusal(id, answer)
        if refusal is not None:
            yield from self._report(id, token, refusal)
        return _opened(id, token, as_user, answer)

    def confirm(self, login: Login, payload: str, key: PhoneKey) -> Flow[ConfirmedDetail]:
        """Confirms, and returns what the page gets with its event `confirmed`."""
        brought = Brought(payload, identity.base64url(secrets.token_bytes(16)))
        proof = key.jws(self._claims(login, brought))
        plain = {"payload": brought.payload, "salt": brought.salt}
        body: dict[str, Any] = {**plain, "proof": proof}
        if login.browser_key is not None:
            info = identity.framed("countersign/qr/2", login.id, login.origin)
            sealed = seal(json.dumps(plain).encode(), login.browser_key, info)
            body = {"payload": identity.base64url(sealed), "encrypted": True, "proof": proof}
        yield from self._decide(login.id, login.token, "confirm", body)
        return ConfirmedDetail(sessionId=login.id, payload=payload, salt=brought.salt, proof=proof)

    def deny(self, login: Login, payload: str) -> Flow[None]:
        yield from self._decide(login.id, login.token, "deny", {"payload": payload})

    def expire(self, login: Login) -> Flow[None]:
        """Ends the time of a test login."""
        call = Request("POST", path_of("qr-sessions", login.id, "expire"), may_be_empty=True)
        yield from self._service.call(call, self._service.limits)

    def _claims(self, login: Login, brought: Brought) -> dict[str, Any]:
        now = int(self._service.clock.now())
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

    def _decide(self, id: str, token: str, action: str, body: Mapping[str, Any]) -> Flow[None]:
        # The phone's token says who decides, so the API key stays away.
        call = Request("POST", path_of("qr-sessions", id, action), _bearer(token), body)
        outcome = yield from self._service.exchange(call, self._service.limits)
        if not (isinstance(outcome, Answer) and outcome.status == 200 and outcome.body is True):
            judge(outcome, self._service.transport.address)
            raise lacking("decision")

    def _report(self, id: str, token: str, refusal: PhoneRefusal) -> Flow[NoReturn]:
        """Tells the service why this phone refuses, if that is because of its answer, and raises."""
        if refusal != "answer_malformed":
            body = {"payload": "", "reason": "key_mismatch"}
            call = Request("POST", path_of("qr-sessions", id, "deny"), _bearer(token), body)
            # The service may be the one that cheats, so its answer changes nothing.
            yield from self._service.exchange(call, self._service.limits)
        raise PhoneRefusedError(refusal)

    def _refusal(self, id: str, answer: Mapping[str, Any]) -> PhoneRefusal | None:
        """Returns why a phone would not show an answer, or None if it fits its id."""
        origin, context, key = (answer.get(name) for name in ("origin", "context", "browserPublicKey"))
        if id.startswith("qrp_"):
            if key is not None:
                return "key_unexpected"
            if context is not None:
                return "context_unexpected"
        elif key is None:
            return "key_missing"
        elif context is not None and not (isinstance(context, str) and is_context(context)):
            return "context_malformed"
        elif not _vouches(id, self.app_key, origin, context, key):
            return "key_mismatch"
        return None if _is_whole(answer) else "answer_malformed"


def _bearer(token: str) -> dict[str, str]:
    return header("authorization", f"Bearer {token}")


def _vouches(id: str, app_key: str, origin: Any, context: str | None, key: Any) -> bool:
    try:
        point = identity.point_of(identity.key_of_point(key))
        return identity.session_id(app_key, options.origin(origin), context or "", point) == id
    except (AttributeError, TypeError, ValueError):
        return False


def _is_whole(answer: Mapping[str, Any]) -> bool:
    """Returns whether an answer has what a phone shows."""
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


def _opened(id: str, token: str, named: str | None, answer: Mapping[str, Any]) -> Login:
    key = answer.get("browserPublicKey")
    return Login(
        id=id,
        token=token,
        origin=answer["origin"],
        context=answer.get("context"),
        browser_key=None if key is None else identity.key_of_point(key),
        check_code=answer.get("checkCode"),
        session=answer["session"],
        named=named,
    )
