"""Handlers without a framework: they take a request's method, headers and raw body, and return a reply.

`body` must be the bytes as they arrived. Read at most 64 KiB and one byte: larger bodies are refused.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from . import _options as options
from ._acts import accept, accept_async, remember, remember_async
from ._async_client import AsyncCountersign
from ._client import Countersign
from ._handlers import (
    ACKNOWLEDGED,
    MAX_BODY,
    Reply,
    WebhookCallbacks,
    checked_body,
    login_detail,
    refusing_forgeries,
    refusing_missing_records,
    refusing_unproven_logins,
    refusing_unreadable_approvals,
    reply_of,
    reply_of_approval,
    reply_of_login,
    reply_to,
)
from ._options import UNSET
from ._proofs import KnownKey, Login, present
from ._webhooks import Body, Headers, lower
from .approvals import Decided
from .store import LOGIN_TTL_SECONDS, login_webhook_id
from .types import LoginWebhookBody, PhoneRegisteredWebhookBody, WebhookBody

# The sender of a webhook waits ten seconds for our answer, which may need two requests.
APPROVAL_TIMEOUT = 4.0

__all__ = ["MAX_BODY", "AsyncLoginHandler", "AsyncWebhookHandler", "LoginHandler", "Reply", "WebhookHandler"]

OnVerified: TypeAlias = Callable[[WebhookBody], None]
OnLoginEvent: TypeAlias = Callable[[LoginWebhookBody], None]
OnApproval: TypeAlias = Callable[[Decided], None]
OnPhoneRegistered: TypeAlias = Callable[[PhoneRegisteredWebhookBody], None]
FindKey: TypeAlias = Callable[[str], KnownKey | None]
OnLogin: TypeAlias = Callable[[Login, Any], Any]

AsyncOnVerified: TypeAlias = Callable[[WebhookBody], Awaitable[None] | None]
AsyncOnLoginEvent: TypeAlias = Callable[[LoginWebhookBody], Awaitable[None] | None]
AsyncOnApproval: TypeAlias = Callable[[Decided], Awaitable[None] | None]
AsyncOnPhoneRegistered: TypeAlias = Callable[[PhoneRegisteredWebhookBody], Awaitable[None] | None]
AsyncFindKey: TypeAlias = Callable[[str], Awaitable[KnownKey | None] | KnownKey | None]


def _check_client(countersign: Any, kind: type[Any]) -> None:
    if not isinstance(countersign, kind):
        raise ValueError(f"the first argument is not of the class {kind.__name__}")


class WebhookHandler:
    """Answers webhooks. At least one of the callbacks is needed.

    `on_verified` is called once for each confirmation that this service started, `on_login` once for each
    login, and `on_approval` once for the result of each approval, unless `approvals.result` returned it before.
    `find_key` finds the keys of approvals; without it, the keys registered with the service are used.
    `on_phone_registered` is called once for each phone that was set up with a registration of this service. Its key
    is registered already, so use it to tell the user. Without it, such webhooks are acknowledged.

    If a callback raises, the answer is 500, and the service sends the webhook again. Raise `RecordMissingError`
    if you have no record of what it is about: once it returns, the webhook is not sent again.
    """

    def __init__(
        self,
        countersign: Countersign,
        *,
        on_verified: OnVerified = UNSET,
        on_login: OnLoginEvent = UNSET,
        on_approval: OnApproval = UNSET,
        on_phone_registered: OnPhoneRegistered = UNSET,
        find_key: FindKey = UNSET,
    ) -> None:
        _check_client(countersign, Countersign)
        self._client = countersign
        self._store = countersign.store
        settings = countersign._service.settings
        self._callbacks = WebhookCallbacks(
            settings,
            on_verified,
            on_login,
            on_approval,
            on_phone_registered,
            find_key,
            asynchronous=False,
        )
        self._approval_timeout = min(APPROVAL_TIMEOUT, settings.limits.timeout)

    def __call__(self, method: str, headers: Headers, body: Body) -> Reply:
        try:
            return self._answer(method, lower(headers), body)
        except Exception as error:
            return reply_to(error)

    def _answer(self, method: str, headers: dict[str, str], body: Body) -> Reply:
        raw = checked_body(method, headers, body)
        with refusing_forgeries():
            event = self._client.webhooks.verify(raw, headers)
        with refusing_missing_records():
            if isinstance(event, LoginWebhookBody):
                return self._accept_login(event)
            if isinstance(event, PhoneRegisteredWebhookBody):
                on_phone = self._callbacks.on_phone_registered
                if on_phone is None:
                    return ACKNOWLEDGED
                acceptance, _ = accept(self._store, event.registration_id, on_phone, event)
                return reply_of(acceptance, "unknown registration")
            on_verified = self._callbacks.for_confirmation()
            acceptance, _ = accept(self._store, event.confirmation_id, on_verified, event)
            return reply_of(acceptance, "unknown confirmation")

    def _accept_login(self, event: LoginWebhookBody) -> Reply:
        """Accepts a webhook about a login, which may be an approval.

        `on_login` is not called for approvals.
        """
        if self._callbacks.on_login is not None:
            id = login_webhook_id(event.session_id)
            acceptance, _ = accept(self._store, id, self._callbacks.on_login, event)
            if acceptance != "unknown":
                return reply_of(acceptance, "unknown login")
        on_approval = self._callbacks.for_approval()
        # The webhook is not enough, because it does not contain the proof.
        with refusing_unreadable_approvals():
            result = self._client.approvals._result_of_webhook(
                event.session_id, self._callbacks.find_key, on_approval, self._approval_timeout
            )
        return reply_of_approval(result)


class AsyncWebhookHandler:
    """Answers webhooks, as `WebhookHandler` does. Its callbacks may be asynchronous."""

    def __init__(
        self,
        countersign: AsyncCountersign,
        *,
        on_verified: AsyncOnVerified = UNSET,
        on_login: AsyncOnLoginEvent = UNSET,
        on_approval: AsyncOnApproval = UNSET,
        on_phone_registered: AsyncOnPhoneRegistered = UNSET,
        find_key: AsyncFindKey = UNSET,
    ) -> None:
        _check_client(countersign, AsyncCountersign)
        self._client = countersign
        self._store = countersign.store
        settings = countersign._service.settings
        self._callbacks = WebhookCallbacks(
            settings,
            on_verified,
            on_login,
            on_approval,
            on_phone_registered,
            find_key,
            asynchronous=True,
        )
        self._approval_timeout = min(APPROVAL_TIMEOUT, settings.limits.timeout)

    async def __call__(self, method: str, headers: Headers, body: Body) -> Reply:
        try:
            return await self._answer(method, lower(headers), body)
        except Exception as error:
            return reply_to(error)

    async def _answer(self, method: str, headers: dict[str, str], body: Body) -> Reply:
        raw = checked_body(method, headers, body)
        with refusing_forgeries():
            event = await self._client.webhooks.verify(raw, headers)
        with refusing_missing_records():
            if isinstance(event, LoginWebhookBody):
                return await self._accept_login(event)
            if isinstance(event, PhoneRegisteredWebhookBody):
                on_phone = self._callbacks.on_phone_registered
                if on_phone is None:
                    return ACKNOWLEDGED
                acceptance, _ = await accept_async(self._store, event.registration_id, on_phone, event)
                return reply_of(acceptance, "unknown registration")
            on_verified = self._callbacks.for_confirmation()
            acceptance, _ = await accept_async(self._store, event.confirmation_id, on_verified, event)
            return reply_of(acceptance, "unknown confirmation")

    async def _accept_login(self, event: LoginWebhookBody) -> Reply:
        """Accepts a webhook about a login, which may be an approval.

        `on_login` is not called for approvals.
        """
        if self._callbacks.on_login is not None:
            id = login_webhook_id(event.session_id)
            acceptance, _ = await accept_async(self._store, id, self._callbacks.on_login, event)
            if acceptance != "unknown":
                return reply_of(acceptance, "unknown login")
        on_approval = self._callbacks.for_approval()
        # The webhook is not enough, because it does not contain the proof.
        with refusing_unreadable_approvals():
            result = await self._client.approvals._result_of_webhook(
                event.session_id, self._callbacks.find_key, on_approval, self._approval_timeout
            )
        return reply_of_approval(result)


class LoginHandler:
    """Logs browsers in with the values of the page's event `confirmed`, each login once.

    `origin` is the page's origin. `find_key` receives a key id and returns the key that one of your users
    registered, or None. `on_login` receives the user who confirmed and the call's `context`; it sets the
    session. If it returns something, that is the answer.
    """

    def __init__(
        self, countersign: Countersign, *, origin: str, find_key: FindKey, on_login: OnLogin
    ) -> None:
        _check_client(countersign, Countersign)
        self._app_key = countersign._service.settings.require_app_key()
        self._logins = countersign.logins
        self._store = countersign.store
        self._origin = options.origin(origin)
        self._find_key = options.callback("find_key", find_key, 1, asynchronous=False)
        self._on_login = options.callback("on_login", on_login, 2, asynchronous=False)

    def __call__(self, method: str, headers: Headers, body: Body, context: Any = None) -> Any:
        try:
            return self._answer(method, lower(headers), body, context)
        except Exception as error:
            return reply_to(error)

    def _answer(self, method: str, headers: dict[str, str], body: Body, context: Any) -> Any:
        detail = login_detail(headers, checked_body(method, headers, body), self._origin)
        with refusing_unproven_logins():
            presented = present(detail, self._app_key, self._origin, None, opened_by_server=False)
            login = self._logins._prove(presented, self._find_key)
        id = detail["session_id"]
        # This comes last, so that a refused proof does not use up the login.
        remember(self._store, id, LOGIN_TTL_SECONDS)
        acceptance, answer = accept(self._store, id, self._on_login, login, context)
        return reply_of_login(acceptance, answer)


class AsyncLoginHandler:
    """Logs browsers in, as `LoginHandler` does. Its callbacks may be asynchronous."""

    def __init__(
        self, countersign: AsyncCountersign, *, origin: str, find_key: AsyncFindKey, on_login: OnLogin
    ) -> None:
        _check_client(countersign, AsyncCountersign)
        self._app_key = countersign._service.settings.require_app_key()
        self._logins = countersign.logins
        self._store = countersign.store
        self._origin = options.origin(origin)
        self._find_key = options.callback("find_key", find_key, 1, asynchronous=True)
        self._on_login = options.callback("on_login", on_login, 2, asynchronous=True)

    async def __call__(self, method: str, headers: Headers, body: Body, context: Any = None) -> Any:
        try:
            return await self._answer(method, lower(headers), body, context)
        except Exception as error:
            return reply_to(error)

    async def _answer(self, method: str, headers: dict[str, str], body: Body, context: Any) -> Any:
        detail = login_detail(headers, checked_body(method, headers, body), self._origin)
        with refusing_unproven_logins():
            presented = present(detail, self._app_key, self._origin, None, opened_by_server=False)
            login = await self._logins._prove(presented, self._find_key)
        id = detail["session_id"]
        # This comes last, so that a refused proof does not use up the login.
        await remember_async(self._store, id, LOGIN_TTL_SECONDS)
        acceptance, answer = await accept_async(self._store, id, self._on_login, login, context)
        return reply_of_login(acceptance, answer)
