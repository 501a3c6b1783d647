"""Answers webhooks and logins, without any framework and without IO."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import _options as options
from ._acts import AnyStore, check_acted, remember_once
from ._api import LoginCalls
from ._approvals import ApprovalCalls
from ._flow import AnyDriver, Flow
from ._options import UNSET
from ._requests import Limits
from ._webhooks import Body, Headers, WebhookVerifier, lower, raw_bytes
from .approvals import AlreadyReported, Pending
from .errors import (
    ConnectionError,
    CountersignError,
    KeysUnavailableError,
    LoginVerificationError,
    ProblemError,
    RecordMissingError,
    UnknownApprovalError,
    WebhookVerificationError,
)
from .store import LOGIN_TTL_SECONDS, Acceptance, login_webhook_id
from .types import LoginWebhookBody, WebhookBody

MAX_BODY = 64 * 1024
# The sender of a webhook waits ten seconds for our answer, which may take two requests.
APPROVAL_TIMEOUT = 4.0

log = logging.getLogger("countersign")

PLAIN = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
}


@dataclass(frozen=True)
class Reply:
    """The answer to a request."""

    status: int
    body: str
    headers: Mapping[str, str] = field(default_factory=lambda: PLAIN)


_ACCEPTANCES: dict[str, Reply] = {
    "accepted": Reply(200, "accepted"),
    "repeated": Reply(200, "already accepted"),
}


class BodyTakenError(CountersignError):
    """Something read or parsed the body before the handler saw its bytes, of which the signature is."""

    def __init__(self) -> None:
        super().__init__(
            "the raw body is gone: pass the raw body, and let nothing read or parse the request before this handler"
        )


class Refused(Exception):
    def __init__(self, status: int, text: str, reason: str | None = None) -> None:
        super().__init__(reason or text)
        self.reply = Reply(status, text, {**PLAIN, "allow": "POST"} if status == 405 else PLAIN)


def _checked(method: str, headers: Mapping[str, str], body: Any) -> bytes:
    if method != "POST":
        raise Refused(405, "POST only")
    raw = raw_bytes(body)
    if len(raw) > MAX_BODY:
        raise Refused(413, "body too large")
    if not raw and (headers.get("content-length", "0") not in ("", "0") or "transfer-encoding" in headers):
        raise BodyTakenError()
    return raw


def answered(flow: Flow[Any]) -> Flow[Any]:
    """Returns what a flow returns, or the reply to what it raises. Only the log gets reasons."""
    try:
        return (yield from flow)
    except Refused as refused:
        if refused.reply.status in (403, 503):
            log.warning("refused: %s", refused)
        return refused.reply
    except KeysUnavailableError as error:
        log.warning("%s", error)
        return Reply(500, "cannot verify just now")
    except Exception:
        log.exception("a request cannot be answered")
        return Reply(500, "internal error")


class WebhookCore:
    def __init__(
        self,
        driver: AnyDriver,
        verifier: WebhookVerifier,
        store: AnyStore,
        approvals: ApprovalCalls,
        on_verified: Any,
        on_login: Any,
        on_approval: Any,
        find_key: Any,
        *,
        asynchronous: bool,
    ) -> None:
        verifier.require_verification()
        callbacks = {
            name: None if given is UNSET else options.callback(name, given, 1, asynchronous=asynchronous)
            for name, given in (
                ("on_verified", on_verified),
                ("on_login", on_login),
                ("on_approval", on_approval),
                ("find_key", find_key),
            )
        }
        self._on_verified, self._on_login, self._on_approval, self._find_key = callbacks.values()
        if not (self._on_verified or self._on_login or self._on_approval):
            raise ValueError("the webhook handler needs on_verified, on_login or on_approval")
        if self._find_key and not self._on_approval:
            raise ValueError("find_key is only for on_approval")
        if self._on_approval:
            approvals.require_app_key()
        self._driver = driver
        self._verifier = verifier
        self._store = store
        self._approvals = approvals

    def answer(self, method: str, headers: Headers, body: Body) -> Flow[Reply]:
        named = lower(headers)
        body = _checked(method, named, body)
        try:
            event = yield from self._verifier.verify(body, named)
        except WebhookVerificationError as error:
            if error.reason == "not_an_event":
                raise Refused(400, "not a confirmation") from None
            raise Refused(403, "signature refused", error.reason) from None
        try:
            if isinstance(event, LoginWebhookBody):
                return (yield from self._accept_login(event))
            return (yield from self._accept_confirmation(event))
        except RecordMissingError as error:
            raise Refused(503, "record missing", str(error)) from None

    def _accept_confirmation(self, event: WebhookBody) -> Flow[Reply]:
        if self._on_verified is None:
            raise Refused(400, "not a confirmation")
        acceptance = yield from self._accept(event.confirmation_id, self._on_verified, event)
        return _ACCEPTANCES.get(acceptance) or Reply(404, "unknown confirmation")

    def _accept_login(self, event: LoginWebhookBody) -> Flow[Reply]:
        """Accepts a webhook about a login, which may be an approval. `on_login` learns of no approval."""
        if self._on_login is not None:
            acceptance = yield from self._accept(login_webhook_id(event.session_id), self._on_login, event)
            if acceptance in _ACCEPTANCES:
                return _ACCEPTANCES[acceptance]
        if self._on_approval is None:
            raise Refused(
                *((400, "not a confirmation") if self._on_login is None else (404, "unknown login"))
            )
        # The webhook is not enough: the proof is not in it.
        limits = self._approvals.limits
        limits = Limits(min(APPROVAL_TIMEOUT, limits.timeout), limits.max_retries)
        try:
            result = yield from self._approvals.result_of_webhook(
                event.session_id, self._find_key, self._on_approval, limits
            )
        except UnknownApprovalError:
            raise Refused(404, "unknown approval") from None
        except (ProblemError, ConnectionError) as error:
            log.warning("an approval cannot be read: %s", error)
            raise Refused(500, "cannot verify just now") from None
        if isinstance(result, Pending):
            raise Refused(503, "not decided yet", f"the digits of {event.session_id} have yet to be typed")
        return _ACCEPTANCES["repeated" if isinstance(result, AlreadyReported) else "accepted"]

    def _accept(self, id: str, act: Callable[[Any], Any], event: Any) -> Flow[Acceptance]:
        results: list[Any] = []
        acceptance: Acceptance = yield lambda: self._store.accept(
            id, self._driver.act(lambda: act(event), results)
        )
        check_acted(acceptance, results)
        return acceptance


class LoginCore:
    def __init__(
        self,
        driver: AnyDriver,
        calls: LoginCalls,
        store: AnyStore,
        origin: Any,
        find_key: Any,
        on_login: Any,
        *,
        asynchronous: bool,
    ) -> None:
        calls.require_app_key()
        self._driver = driver
        self._calls = calls
        self._store = store
        self._origin = options.origin(origin)
        self._find_key = options.callback("find_key", find_key, 1, asynchronous=asynchronous)
        self._on_login = options.callback("on_login", on_login, 2, asynchronous=asynchronous)

    def answer(self, method: str, headers: Headers, body: Body, context: Any) -> Flow[Any]:
        """Returns what `on_login` returns. If it returns nothing, or is not called, returns a reply."""
        named = lower(headers)
        body = _checked(method, named, body)
        # Otherwise another site could log its visitors in here.
        if named.get("origin") != self._origin:
            raise Refused(403, "not logged in", "the request comes from another page")
        detail = _detail(body)
        id = detail["session_id"]
        try:
            login = yield from self._calls.verify(detail, self._origin, self._find_key, None)
        except LoginVerificationError as error:
            raise Refused(403, "not logged in", error.reason) from None
        results: list[Any] = []
        act = self._driver.act(lambda: self._on_login(login, context), results)
        # Only now, so that a refused proof does not use up the login.
        yield from remember_once(self._driver, self._store, id, LOGIN_TTL_SECONDS)
        acceptance = yield lambda: self._store.accept(id, act)
        check_acted(acceptance, results)
        if acceptance != "accepted":
            raise Refused(403, "not logged in", "the login was used before")
        return Reply(200, "logged in") if results == [None] else results[0]


def _detail(body: bytes) -> dict[str, str]:
    try:
        detail = json.loads(body.decode())
        members = {name: detail[name] for name in ("sessionId", "payload", "salt", "proof")}
        for member in members.values():
            member.encode()  # Raises for what is not text, and for half a surrogate pair.
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Refused(400, "not a login") from None
    return {"session_id": members.pop("sessionId"), **members}
