"""Handlers without a framework: they take a request's method, headers and raw body, and return a reply.

`body` has to be the bytes as they arrived. Read no more than 64 KiB and one byte: larger ones are refused.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from ._async_client import AsyncCountersign
from ._client import Countersign
from ._handlers import MAX_BODY, LoginCore, Reply, WebhookCore, answered
from ._options import UNSET
from ._proofs import KnownKey, Login
from ._webhooks import Body, Headers
from .approvals import Decided
from .types import LoginWebhookBody, WebhookBody

__all__ = ["MAX_BODY", "AsyncLoginHandler", "AsyncWebhookHandler", "LoginHandler", "Reply", "WebhookHandler"]

OnVerified: TypeAlias = Callable[[WebhookBody], None]
OnLoginEvent: TypeAlias = Callable[[LoginWebhookBody], None]
OnApproval: TypeAlias = Callable[[Decided], None]
FindKey: TypeAlias = Callable[[str], KnownKey | None]
OnLogin: TypeAlias = Callable[[Login, Any], Any]

AsyncOnVerified: TypeAlias = Callable[[WebhookBody], Awaitable[None] | None]
AsyncOnLoginEvent: TypeAlias = Callable[[LoginWebhookBody], Awaitable[None] | None]
AsyncOnApproval: TypeAlias = Callable[[Decided], Awaitable[None] | None]
AsyncFindKey: TypeAlias = Callable[[str], Awaitable[KnownKey | None] | KnownKey | None]


def _check_client(countersign: Any, kind: type[Any]) -> None:
    if not isinstance(countersign, kind):
        raise ValueError(f"the first argument is not of the class {kind.__name__}")


class WebhookHandler:
    """Answers webhooks. At least one of the callbacks is needed.

    `on_verified` is called once for each confirmation that this service started, `on_login` once for each
    login, and `on_approval` once for the result of each approval, unless `approvals.result` returned it before.
    `find_key` finds the keys of approvals; without it, the keys that are registered with the service count.

    If a callback raises, the answer is 500, and the service sends the webhook again. Raise `RecordMissingError`
    if you have no record of what it is about: if it returns, the webhook does not come again.
    """

    def __init__(
        self,
        countersign: Countersign,
        *,
        on_verified: OnVerified = UNSET,
        on_login: OnLoginEvent = UNSET,
        on_approval: OnApproval = UNSET,
        find_key: FindKey = UNSET,
    ) -> None:
        _check_client(countersign, Countersign)
        self._driver = countersign._driver
        verifier = countersign._parts.webhooks
        self._core = WebhookCore(
            self._driver,
            verifier,
            countersign.store,
            countersign._parts.approvals,
            on_verified,
            on_login,
            on_approval,
            find_key,
            asynchronous=False,
        )

    def __call__(self, method: str, headers: Headers, body: Body) -> Reply:
        reply: Reply = self._driver.run(answered(self._core.answer(method, headers, body)))
        return reply


class AsyncWebhookHandler:
    """Answers webhooks, as `WebhookHandler` does. Its callbacks may be asynchronous."""

    def __init__(
        self,
        countersign: AsyncCountersign,
        *,
        on_verified: AsyncOnVerified = UNSET,
        on_login: AsyncOnLoginEvent = UNSET,
        on_approval: AsyncOnApproval = UNSET,
        find_key: AsyncFindKey = UNSET,
    ) -> None:
        _check_client(countersign, AsyncCountersign)
        self._driver = countersign._driver
        verifier = countersign._parts.webhooks
        self._core = WebhookCore(
            self._driver,
            verifier,
            countersign.store,
            countersign._parts.approvals,
            on_verified,
            on_login,
            on_approval,
            find_key,
            asynchronous=True,
        )

    async def __call__(self, method: str, headers: Headers, body: Body) -> Reply:
        reply: Reply = await self._driver.run(answered(self._core.answer(method, headers, body)))
        return reply


class LoginHandler:
    """Logs browsers in by what the page's event `confirmed` gave them, each login once.

    `origin` is the page's. `find_key` gets a key id and returns the key that a user of yours registered, or
    None. `on_login` gets who confirmed and the call's `context`; it sets the session. What it returns is the
    answer, if it returns anything.
    """

    def __init__(
        self, countersign: Countersign, *, origin: str, find_key: FindKey, on_login: OnLogin
    ) -> None:
        _check_client(countersign, Countersign)
        self._driver = countersign._driver
        logins = countersign._parts.logins
        self._core = LoginCore(
            self._driver, logins, countersign.store, origin, find_key, on_login, asynchronous=False
        )

    def __call__(self, method: str, headers: Headers, body: Body, context: Any = None) -> Any:
        return self._driver.run(answered(self._core.answer(method, headers, body, context)))


class AsyncLoginHandler:
    """Logs browsers in, as `LoginHandler` does. Its callbacks may be asynchronous."""

    def __init__(
        self, countersign: AsyncCountersign, *, origin: str, find_key: AsyncFindKey, on_login: OnLogin
    ) -> None:
        _check_client(countersign, AsyncCountersign)
        self._driver = countersign._driver
        logins = countersign._parts.logins
        self._core = LoginCore(
            self._driver, logins, countersign.store, origin, find_key, on_login, asynchronous=True
        )

    async def __call__(self, method: str, headers: Headers, body: Body, context: Any = None) -> Any:
        return await self._driver.run(answered(self._core.answer(method, headers, body, context)))
