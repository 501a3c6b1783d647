"""Answers webhooks and logins, without any framework. This module does no IO."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from . import _options as options
from ._options import UNSET
from ._settings import Settings
from ._webhooks import raw_bytes
from .approvals import AlreadyReported, ApprovalResult, Pending
from .errors import (
    APIConnectionError,
    CountersignError,
    KeysUnavailableError,
    LoginVerificationError,
    ProblemError,
    RecordMissingError,
    UnknownApprovalError,
    WebhookVerificationError,
)
from .store import Acceptance

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
    """Something read or parsed the body before the handler saw the signed bytes."""

    def __init__(self) -> None:
        super().__init__(
            "the raw body is gone: pass the raw body, and let nothing read or parse the request before this handler"
        )


class Refused(Exception):
    def __init__(self, status: int, text: str, reason: str | None = None) -> None:
        super().__init__(reason or text)
        self.reply = Reply(status, text, {**PLAIN, "allow": "POST"} if status == 405 else PLAIN)


def checked_body(method: str, headers: Mapping[str, str], body: Any) -> bytes:
    """Returns the raw body of a request."""
    if method != "POST":
        raise Refused(405, "POST only")
    raw = raw_bytes(body)
    if len(raw) > MAX_BODY:
        raise Refused(413, "body too large")
    if not raw and (headers.get("content-length", "0") not in ("", "0") or "transfer-encoding" in headers):
        raise BodyTakenError()
    return raw


def reply_to(error: Exception) -> Reply:
    """Returns the reply for an exception that a handler raised. Only the log contains reasons."""
    if isinstance(error, Refused):
        if error.reply.status in (403, 503):
            log.warning("refused: %s", error)
        return error.reply
    if isinstance(error, KeysUnavailableError):
        log.warning("%s", error)
        return Reply(500, "cannot verify just now")
    log.error("a request cannot be answered", exc_info=error)
    return Reply(500, "internal error")


class WebhookCallbacks:
    """The callbacks of a webhook handler. At least one besides `find_key` is present."""

    def __init__(
        self,
        settings: Settings,
        on_verified: Any,
        on_login: Any,
        on_approval: Any,
        on_phone_registered: Any,
        find_key: Any,
        *,
        asynchronous: bool,
    ) -> None:
        settings.webhooks.require_verification()

        def given(name: str, value: Any) -> Callable[..., Any] | None:
            return None if value is UNSET else options.callback(name, value, 1, asynchronous=asynchronous)

        self.on_verified = given("on_verified", on_verified)
        self.on_login = given("on_login", on_login)
        self.on_approval = given("on_approval", on_approval)
        self.on_phone_registered = given("on_phone_registered", on_phone_registered)
        self.find_key = given("find_key", find_key)
        if not (self.on_verified or self.on_login or self.on_approval or self.on_phone_registered):
            raise ValueError(
                "the webhook handler needs on_verified, on_login, on_approval or on_phone_registered"
            )
        if self.find_key and not self.on_approval:
            raise ValueError("find_key is only for on_approval")
        if self.on_approval:
            settings.require_app_key()

    def for_confirmation(self) -> Callable[..., Any]:
        if self.on_verified is None:
            raise Refused(400, "not a confirmation")
        return self.on_verified

    def for_approval(self) -> Callable[..., Any]:
        """Returns the callback for a webhook about a login that is unknown to `on_login`."""
        if self.on_approval is not None:
            return self.on_approval
        if self.on_login is None:
            raise Refused(400, "not a confirmation")
        raise Refused(404, "unknown login")


@contextmanager
def refusing_forgeries() -> Iterator[None]:
    try:
        yield
    except WebhookVerificationError as error:
        if error.reason == "not_an_event":
            raise Refused(400, "not a confirmation") from None
        raise Refused(403, "signature refused", error.reason) from None


@contextmanager
def refusing_missing_records() -> Iterator[None]:
    try:
        yield
    except RecordMissingError as error:
        raise Refused(503, "record missing", str(error)) from None


@contextmanager
def refusing_unreadable_approvals() -> Iterator[None]:
    try:
        yield
    except UnknownApprovalError:
        raise Refused(404, "unknown approval") from None
    except (ProblemError, APIConnectionError) as error:
        log.warning("an approval cannot be read: %s", error)
        raise Refused(500, "cannot verify just now") from None


@contextmanager
def refusing_unproven_logins() -> Iterator[None]:
    try:
        yield
    except LoginVerificationError as error:
        raise Refused(403, "not logged in", error.reason) from None


def reply_of(acceptance: Acceptance, unknown: str) -> Reply:
    """Returns the reply to a webhook for a store's answer about its id."""
    match acceptance:
        case "accepted":
            return Reply(200, "accepted")
        case "repeated":
            return Reply(200, "already accepted")
        case _:
            return Reply(404, unknown)


# The key is registered, and the app may read that from the service instead.
ACKNOWLEDGED = Reply(200, "acknowledged")


def reply_of_approval(result: ApprovalResult) -> Reply:
    """Returns the reply to a webhook about an approval."""
    if isinstance(result, Pending):
        raise Refused(503, "not decided yet", f"the digits of {result.id} have yet to be typed")
    acceptance: Acceptance = "repeated" if isinstance(result, AlreadyReported) else "accepted"
    return reply_of(acceptance, "unknown approval")


def reply_of_login(acceptance: Acceptance, answer: Any) -> Any:
    """Returns what `on_login` returned, or a reply if it returned nothing or was not called."""
    if acceptance != "accepted":
        raise Refused(403, "not logged in", "the login was used before")
    return Reply(200, "logged in") if answer is None else answer


def login_detail(headers: Mapping[str, str], body: bytes, origin: str) -> dict[str, str]:
    """Returns the values that the page got with its event `confirmed`."""
    # Otherwise, another site could log its visitors in here.
    if headers.get("origin") != origin:
        raise Refused(403, "not logged in", "the request comes from another page")
    try:
        detail = json.loads(body.decode())
        members = {name: detail[name] for name in ("sessionId", "payload", "salt", "proof")}
        for member in members.values():
            member.encode()  # Raises for what is not text, and for half a surrogate pair.
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Refused(400, "not a login") from None
    return {"session_id": members.pop("sessionId"), **members}
