"""Answers webhooks and logins, without any framework and without IO."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ._api import AnyStore, LoginCalls
from ._flow import AnyDriver, Flow
from ._webhooks import Headers, WebhookVerifier, lower
from .errors import CountersignError, KeysUnavailableError, LoginVerificationError, WebhookVerificationError
from .store import LOGIN_TTL_SECONDS, login_webhook_id
from .types import LoginWebhookBody

MAX_BODY = 64 * 1024

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


class BodyTakenError(CountersignError):
    """Something read or parsed the body before the handler saw its bytes, of which the signature is."""

    def __init__(self) -> None:
        super().__init__("the raw body is gone: let nothing read or parse the request before this handler")


class Refused(Exception):
    def __init__(self, status: int, text: str, reason: str | None = None) -> None:
        super().__init__(reason or text)
        self.reply = Reply(status, text, {**PLAIN, "allow": "POST"} if status == 405 else PLAIN)


def _checked(method: str, headers: Mapping[str, str], body: bytes) -> None:
    if method != "POST":
        raise Refused(405, "POST only")
    if len(body) > MAX_BODY:
        raise Refused(413, "body too large")
    if not body and headers.get("content-length", "0") not in ("", "0"):
        raise BodyTakenError()


def answered(flow: Flow[Any]) -> Flow[Any]:
    """Returns what a flow returns, or the reply to what it raises. Only the log gets reasons."""
    try:
        return (yield from flow)
    except Refused as refused:
        if refused.reply.status == 403:
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
        on_verified: Callable[[Any], Any],
        on_login: Callable[[Any], Any] | None,
    ) -> None:
        self._driver = driver
        self._verifier = verifier
        self._store = store
        self._on_verified = on_verified
        self._on_login = on_login

    def answer(self, method: str, headers: Headers, body: bytes) -> Flow[Reply]:
        named = lower(headers)
        _checked(method, named, body)
        try:
            event = yield from self._verifier.verify(body, named)
        except WebhookVerificationError as error:
            if error.reason == "not_an_event":
                raise Refused(400, "not a confirmation") from None
            raise Refused(403, "signature refused", error.reason) from None
        if not isinstance(event, LoginWebhookBody):
            return (yield from self._accept("confirmation", event.confirmation_id, self._on_verified, event))
        if self._on_login is None:
            raise Refused(400, "not a confirmation")
        return (yield from self._accept("login", login_webhook_id(event.session_id), self._on_login, event))

    def _accept(self, what: str, id: str, act: Callable[[Any], Any], event: Any) -> Flow[Reply]:
        acceptance = yield lambda: self._store.accept(id, self._driver.act(lambda: act(event), []))
        if acceptance == "unknown":
            return Reply(404, f"unknown {what}")
        return Reply(200, "accepted" if acceptance == "accepted" else "already accepted")


class LoginCore:
    def __init__(
        self,
        driver: AnyDriver,
        calls: LoginCalls,
        store: AnyStore,
        origin: str,
        find_key: Callable[[str], Any],
        on_login: Callable[[Any, Any], Any],
    ) -> None:
        calls.require_app_key()
        self._driver = driver
        self._calls = calls
        self._store = store
        self._origin = origin
        self._find_key = find_key
        self._on_login = on_login

    def answer(self, method: str, headers: Headers, body: bytes, context: Any) -> Flow[Any]:
        """Returns what `on_login` returns. If it returns nothing, or is not called, returns a reply."""
        named = lower(headers)
        _checked(method, named, body)
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
        yield lambda: self._store.remember(id, LOGIN_TTL_SECONDS)
        acceptance = yield lambda: self._store.accept(id, act)
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
