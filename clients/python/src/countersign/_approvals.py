"""Approvals as flows: a login that the server opens for one user, about one text."""

import logging
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from cryptography.hazmat.primitives.asymmetric import ec

from . import _identity as identity
from . import _options as options
from ._acts import AnyStore, check_acted, remember_once
from ._api import AssociationKeyCalls, LoginCalls, header, path_of
from ._flow import AnyDriver, AsyncDriver, Flow
from ._json import time_of
from ._links import is_link_of
from ._proofs import Expected, KnownKey
from ._requests import Limits, Request, lacking
from ._service import Service
from .approvals import (
    AlreadyReported,
    Approval,
    ApprovalResult,
    ApprovalSession,
    Approved,
    Decided,
    Denied,
    Expired,
    Pending,
)
from .errors import (
    ConnectionError,
    LoginVerificationError,
    ProblemError,
    UnknownApprovalError,
)
from .store import WEBHOOK_TTL_SECONDS

log = logging.getLogger("countersign")

Answer = Mapping[str, Any]


@dataclass(frozen=True)
class Inspected:
    """An approval as the service describes it. Its id covers origin and context."""

    id: str
    user_id: str
    origin: str
    context: str
    answer: Answer

    @property
    def record(self) -> str:
        """The id in the store, which this server remembered for this user."""
        return identity.approval_id(self.id, self.user_id)


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


def _another_session() -> ConnectionError:
    return ConnectionError("the service answered with another session than this one", status=200)


class ApprovalCalls:
    def __init__(
        self,
        driver: AnyDriver,
        service: Service,
        store: AnyStore,
        logins: LoginCalls,
        keys: AssociationKeyCalls,
        api_key: str,
    ) -> None:
        self._driver = driver
        self._service = service
        self._store = store
        self._logins = logins
        self._keys = keys
        self._api_key = api_key

    @property
    def limits(self) -> Limits:
        return self._service.limits

    def require_app_key(self) -> str:
        return self._logins.require_app_key()

    def start(
        self, origin: str, context: str, user_id: str, on_started: Any, limits: Limits
    ) -> Flow[Approval]:
        app_key = self.require_app_key()
        options.origin(origin)
        context = unicodedata.normalize("NFC", options.text("context", context))
        options.text("user_id", user_id)
        self._check_callback("on_started", on_started)
        # The payload is never redeemed, so the private half is not kept.
        key = identity.point_of(ec.generate_private_key(ec.SECP256R1()).public_key())
        token = identity.approval_token(self._api_key, key)
        body = {
            "browserPublicKey": identity.base64url(key),
            "origin": origin,
            "context": context,
            "publicUserId": user_id,
        }
        call = Request("POST", path_of("qr-sessions"), header("authorization", f"Bearer {token}"), body)
        answer = yield from self._service.call(call, limits)
        id = identity.session_id(app_key, origin, context, key)
        if answer.get("sessionId") != id or not is_link_of(_text(answer, "url"), id):
            raise _another_session()
        started = _approval(id, identity.page_token(token), answer)

        def act() -> Any:
            return None if on_started is None else on_started(started)

        record = identity.approval_id(id, user_id)
        yield from remember_once(self._driver, self._store, record, WEBHOOK_TTL_SECONDS, act)
        return started

    def result(self, id: str, find_key: Any, on_result: Any, limits: Limits) -> Flow[ApprovalResult]:
        self.require_app_key()
        self._check_callback("find_key", find_key)
        self._check_callback("on_result", on_result)
        answer = yield from self._look_up(id, limits)
        if answer is None:
            return Expired(id=id, reason="expired")
        return (yield from self._report(self._recognise(id, answer), find_key, on_result, limits))

    def result_of_webhook(
        self, id: str, find_key: Any, on_result: Any, limits: Limits
    ) -> Flow[ApprovalResult]:
        """Does the same for a webhook, of which the service knows as long as it sends it."""
        answer = yield from self._look_up(id, limits)
        if answer is None:
            raise UnknownApprovalError(id)
        return (yield from self._report(self._recognise(id, answer), find_key, on_result, limits))

    def _look_up(self, id: str, limits: Limits) -> Flow[Answer | None]:
        """Returns what the service knows of a login, or None if it has forgotten it or never knew it."""
        try:
            answer = yield from self._service.call(Request("GET", path_of("qr-sessions", id)), limits)
        except ProblemError as problem:
            if problem.code == "session_not_found":
                return None
            raise
        return cast(Answer, answer)

    def _recognise(self, id: str, answer: Answer) -> Inspected:
        """Returns the approval that an answer is about. Raises if it is about another login."""
        user_id, context = answer.get("expectedPublicUserId"), answer.get("context")
        if not isinstance(user_id, str) or not isinstance(context, str):
            raise UnknownApprovalError(id)
        origin = _text(answer, "origin")
        try:
            key = identity.from_base64url(_text(answer, "browserPublicKey"))
        except ValueError:
            raise _another_session() from None
        # The service could tell another context, which the user never saw.
        if identity.session_id(self.require_app_key(), origin, context, key) != id:
            raise _another_session()
        return Inspected(id, user_id, origin, context, answer)

    def _report(
        self, approval: Inspected, find_key: Any, on_result: Any, limits: Limits
    ) -> Flow[ApprovalResult]:
        """Returns a result, and a decided one only once. `on_result` runs in the store's transaction."""
        decided = yield from self._judge(approval, find_key, limits)
        if isinstance(decided, Pending):
            return decided
        results: list[Any] = []

        def act() -> Any:
            return None if on_result is None else on_result(decided)

        acceptance = yield lambda: self._store.accept(approval.record, self._driver.act(act, results))
        check_acted(acceptance, results)
        if acceptance == "unknown":
            raise UnknownApprovalError(approval.id)
        return decided if acceptance == "accepted" else AlreadyReported(id=approval.id)

    def _judge(self, approval: Inspected, find_key: Any, limits: Limits) -> Flow[Pending | Decided]:
        id, answer = approval.id, approval.answer
        match answer.get("state"):
            case "confirmed" if not isinstance(answer.get("checkCodeRequired"), bool):
                # Digits may be awaited.
                raise lacking("checkCodeRequired")
            case "confirmed" if answer["checkCodeRequired"]:
                return _pending(id, answer)
            case "confirmed" | "consumed":
                return (yield from self._verify(approval, find_key, limits))
            case "created" | "scanned":
                return _pending(id, answer)
            case "denied" | "blocked" as reason:
                return Denied(id=id, reason=reason)
            case "expired" | "cancelled" as reason:
                return Expired(id=id, reason=reason)
            case _:
                raise lacking("state")

    def _verify(self, approval: Inspected, find_key: Any, limits: Limits) -> Flow[Approved | Denied]:
        expected = Expected(self.require_app_key(), approval.origin, approval.id, approval.context)
        proof = approval.answer.get("proof")
        try:
            if not isinstance(proof, str):
                raise LoginVerificationError("there is no proof")
            find = find_key or (yield from self._registered_keys(approval.user_id, limits))
            # A proof lives for five minutes, and its result is read or delivered later than that.
            confirmed_at = _time(approval.answer, "confirmedAt").timestamp()
            login = yield from self._logins.prove(proof, None, find, expected, confirmed_at)
            if login.user_id != approval.user_id:
                raise LoginVerificationError("the key belongs to another user")
        except LoginVerificationError as error:
            log.warning("the approval %s is not verified: %s", approval.id, error.reason)
            return Denied(id=approval.id, reason="unverified")
        return Approved(
            id=approval.id,
            user_id=login.user_id,
            key_id=login.key_id,
            context=approval.context,
            origin=approval.origin,
        )

    def _registered_keys(self, user_id: str, limits: Limits) -> Flow[Callable[[str], KnownKey | None]]:
        """Returns a function that finds the keys of a user that are registered with the service."""
        found: dict[str, KnownKey] = {}
        for key in (yield from self._keys.entries(user_id, limits)):
            if not isinstance(key.get("publicKey"), str):
                raise ConnectionError("the service does not tell public keys: give find_key", status=200)
            found[_text(key, "keyId")] = KnownKey(key["publicKey"], user_id)
        return found.get

    def _check_callback(self, name: str, value: Any) -> None:
        if value is not None:
            is_asynchronous = isinstance(self._driver, AsyncDriver)
            options.callback(name, value, 1, asynchronous=is_asynchronous)


def _pending(id: str, answer: Answer) -> Pending:
    return Pending(id=id, expires_in=_seconds(answer, "expiresIn"))


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
