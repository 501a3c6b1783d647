"""Approvals: a login that the server opens for one user, about one text. This module does no IO."""

import logging
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from . import _identity as identity
from . import _options as options
from ._api import bearer, path_of
from ._json import time_of
from ._links import is_link_of
from ._proofs import Expected, KnownKey, Login, Presented
from ._requests import Call, Request, lacking
from ._settings import Settings
from .approvals import (
    AlreadyReported,
    Approval,
    ApprovalSession,
    Approved,
    Decided,
    Denied,
    Expired,
    Pending,
)
from .errors import APIConnectionError, LoginVerificationError, UnknownApprovalError
from .store import Acceptance

log = logging.getLogger("countersign")

Answer = Mapping[str, Any]


@dataclass(frozen=True)
class Confirmed:
    """An approval that a user has confirmed, and whose proof has yet to be verified."""

    presented: Presented
    # A proof is valid for five minutes, but its result may be read or delivered later than that.
    at: float


@dataclass(frozen=True)
class Inspected:
    """An approval as the service describes it. Its id covers origin and context."""

    id: str
    app_key: str
    user_id: str
    origin: str
    context: str
    answer: Answer

    @property
    def record(self) -> str:
        """The id in the store, which this server remembered for this user."""
        return identity.approval_id(self.id, self.user_id)

    def judge(self) -> Pending | Confirmed | Denied | Expired:
        match self.answer.get("state"):
            case "confirmed" if not isinstance(self.answer.get("checkCodeRequired"), bool):
                # The approval may still wait for its check code.
                raise lacking("checkCodeRequired")
            case "confirmed" if self.answer["checkCodeRequired"]:
                return self._pending()
            case "confirmed" | "consumed":
                return self._confirmed()
            case "created" | "scanned":
                return self._pending()
            case "denied" | "blocked" as reason:
                return Denied(id=self.id, reason=reason)
            case "expired" | "cancelled" as reason:
                return Expired(id=self.id, reason=reason)
            case _:
                raise lacking("state")

    def approved(self, login: Login) -> Approved:
        """Returns the result of a valid proof."""
        if login.user_id != self.user_id:
            raise LoginVerificationError("the key belongs to another user")
        return Approved(
            id=self.id,
            user_id=login.user_id,
            key_id=login.key_id,
            context=self.context,
            origin=self.origin,
        )

    def unverified(self, error: LoginVerificationError) -> Denied:
        """Returns the result of an invalid proof."""
        log.warning("the approval %s is not verified: %s", self.id, error.reason)
        return Denied(id=self.id, reason="unverified")

    def reported(self, decided: Decided, acceptance: Acceptance) -> Decided | AlreadyReported:
        """Returns a decision, unless the store has already recorded that it was returned."""
        if acceptance == "unknown":
            raise UnknownApprovalError(self.id)
        return decided if acceptance == "accepted" else AlreadyReported(id=self.id)

    def _pending(self) -> Pending:
        return Pending(id=self.id, expires_in=_seconds(self.answer, "expiresIn"))

    def _confirmed(self) -> Confirmed | Denied:
        proof = self.answer.get("proof")
        if not isinstance(proof, str):
            return self.unverified(LoginVerificationError("there is no proof"))
        expected = Expected(self.app_key, self.origin, self.id, self.context)
        confirmed_at = _time(self.answer, "confirmedAt").timestamp()
        return Confirmed(Presented(proof, None, expected), confirmed_at)


def start(settings: Settings, origin: str, context: str, user_id: str) -> Call[Approval]:
    app_key = settings.require_app_key()
    options.origin(origin)
    context = unicodedata.normalize("NFC", options.text("context", context))
    options.text("user_id", user_id)
    # The payload is never redeemed, so the private half is not kept.
    key = identity.point_of(ec.generate_private_key(ec.SECP256R1()).public_key())
    token = identity.approval_token(settings.api_key, key)
    id = identity.session_id(app_key, origin, context, key)

    def started(answer: Answer) -> Approval:
        if answer.get("sessionId") != id or not is_link_of(_text(answer, "url"), id):
            raise _another_session()
        return _approval(id, identity.page_token(token), answer)

    body = {
        "browserPublicKey": identity.base64url(key),
        "origin": origin,
        "context": context,
        "publicUserId": user_id,
    }
    return Call(Request("POST", path_of("qr-sessions"), bearer(token), body), started)


def inspect(settings: Settings, id: str) -> Call[Inspected]:
    """Returns the approval with an id. Parsing raises if the answer is about another login."""
    app_key = settings.require_app_key()

    def inspected(answer: Answer) -> Inspected:
        user_id, context = answer.get("expectedPublicUserId"), answer.get("context")
        if not isinstance(user_id, str) or not isinstance(context, str):
            raise UnknownApprovalError(id)
        origin = _text(answer, "origin")
        try:
            key = identity.from_base64url(_text(answer, "browserPublicKey"))
        except ValueError:
            raise _another_session() from None
        # The service could return a different context, which the user never saw.
        if identity.session_id(app_key, origin, context, key) != id:
            raise _another_session()
        return Inspected(id, app_key, user_id, origin, context, answer)

    return Call(Request("GET", path_of("qr-sessions", id)), inspected)


def registered_keys(entries: Sequence[Answer], user_id: str) -> Callable[[str], KnownKey | None]:
    """Returns a function that finds the keys of a user that are registered with the service."""
    found: dict[str, KnownKey] = {}
    for key in entries:
        if not isinstance(key.get("publicKey"), str):
            raise APIConnectionError("the service does not tell public keys: give find_key", status=200)
        # An older service lists keys without their kind: all of them are apps' keys.
        kind = key.get("kind", "app")
        found[_text(key, "keyId")] = KnownKey(
            key["publicKey"], user_id, kind, key.get("rpId"), key.get("origin")
        )
    return found.get


def _text(answer: Answer, member: str) -> str:
    value = answer.get(member)
    if not isinstance(value, str) or not value:
        raise lacking(member)
    return value


def _seconds(answer: Answer, member: str) -> int:
    value = answer.get(member)
    if not isinstance(value, int) or isinstance(value, bool):
        raise lacking(member)
    return value


def _time(answer: Answer, member: str) -> datetime:
    value = time_of(answer.get(member))
    if value is None or value.tzinfo is None:
        raise lacking(member)
    return value


def _another_session() -> APIConnectionError:
    return APIConnectionError("the service answered with another session than this one", status=200)


def _approval(id: str, token: str, answer: Answer) -> Approval:
    expires_at = _time(answer, "expiresAt")
    session = ApprovalSession(
        sessionId=id,
        url=_text(answer, "url"),
        token=token,
        socketUrl=_text(answer, "socketUrl"),
        expiresAt=_text(answer, "expiresAt"),
        expiresIn=_seconds(answer, "expiresIn"),
        serverTime=_text(answer, "serverTime"),
    )
    if answer.get("checkCodeRequired") is True:
        session["checkCodeRequired"] = True
    return Approval(id=id, session=session, expires_in=session["expiresIn"], expires_at=expires_at)
