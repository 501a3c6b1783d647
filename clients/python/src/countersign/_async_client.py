"""The client for asyncio."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, Unpack, overload

import httpx

from . import _options as options
from ._api import AssociationKeyCalls, ConfirmationCalls, LoginCalls
from ._assembly import Assembly
from ._client_approvals import AsyncApprovals
from ._clock import Seam
from ._flow import AsyncDriver
from ._options import UNSET
from ._proofs import KnownKey, Login
from ._requests import Limits, Repeat
from ._transport import AsyncTransport
from ._watched import WatchedConfirmationSession
from ._webhooks import Body, Event, Headers, WebhookVerifier
from .requests import AcquireRequest, ConfirmRequest, CreateSessionRequest, RegisterAssociationKeyRequest
from .store import AsyncMemoryStore, AsyncStore
from .types import (
    AssociationKeyId,
    Confirmation,
    ConfirmationPage,
    ConfirmationSession,
    ConfirmationStatus,
    InspectedSession,
    NewSession,
    RegisteredAssociationKey,
)


class AsyncConfirmations:
    """Phone numbers, proven by a text that the user sends."""

    def __init__(self, driver: AsyncDriver, calls: ConfirmationCalls, limits: Limits) -> None:
        self._driver = driver
        self._calls = calls
        self._limits = limits

    @overload
    async def acquire(
        self,
        *,
        client_channel: Literal[True],
        idempotency_key: str | None = None,
        on_started: Callable[[ConfirmationSession], Awaitable[None] | None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[AcquireRequest],
    ) -> WatchedConfirmationSession: ...

    @overload
    async def acquire(
        self,
        *,
        client_channel: bool | None = None,
        idempotency_key: str | None = None,
        on_started: Callable[[ConfirmationSession], Awaitable[None] | None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[AcquireRequest],
    ) -> ConfirmationSession: ...

    async def acquire(
        self,
        *,
        client_channel: bool | None = None,
        idempotency_key: str | None = None,
        on_started: Callable[[ConfirmationSession], Awaitable[None] | None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[AcquireRequest],
    ) -> ConfirmationSession:
        """Starts a confirmation that learns the number of the first sender of the text.

        Show `confirmation_message` to one user only. Count down from `expires_in`: a clock may be wrong.
        Without an `idempotency_key` each call has a random one, the same for all its tries.

        `on_started` writes your record of the answer's `confirmation_id`, before this returns and before a webhook
        of it is accepted; with a store in SQL, in one transaction with what the store remembers. It is not called
        for an answer that is repeated. If it raises, so does this: show nothing then.
        """
        members = {**request, "client_channel": client_channel}
        limits = self._limits.of_call(timeout, max_retries)
        return await self._driver.run(
            self._calls.start("acquire-phone-number", members, idempotency_key, on_started, limits)
        )

    @overload
    async def confirm(
        self,
        *,
        client_channel: Literal[True],
        idempotency_key: str | None = None,
        on_started: Callable[[ConfirmationSession], Awaitable[None] | None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[ConfirmRequest],
    ) -> WatchedConfirmationSession: ...

    @overload
    async def confirm(
        self,
        *,
        client_channel: bool | None = None,
        idempotency_key: str | None = None,
        on_started: Callable[[ConfirmationSession], Awaitable[None] | None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[ConfirmRequest],
    ) -> ConfirmationSession: ...

    async def confirm(
        self,
        *,
        client_channel: bool | None = None,
        idempotency_key: str | None = None,
        on_started: Callable[[ConfirmationSession], Awaitable[None] | None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[ConfirmRequest],
    ) -> ConfirmationSession:
        """Starts a confirmation of a number that you know. Only a text from it counts.

        Store and compare the answer's `phone_number`: it is in E.164, as in the webhook. `on_started` writes your
        record, as in `acquire`.
        """
        members = {**request, "client_channel": client_channel}
        limits = self._limits.of_call(timeout, max_retries)
        return await self._driver.run(
            self._calls.start("make-confirmation", members, idempotency_key, on_started, limits)
        )

    async def get(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> Confirmation:
        return await self._driver.run(self._calls.one(self._limits.of_call(timeout, max_retries), "GET", id))

    async def cancel(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> Confirmation:
        """Cancels a confirmation that is open. Otherwise raises a problem such as `confirmation_verified`."""
        return await self._driver.run(
            self._calls.one(self._limits.of_call(timeout, max_retries), "DELETE", id)
        )

    async def redact(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> Confirmation:
        """Erases the numbers and the metadata of a confirmation."""
        return await self._driver.run(
            self._calls.one(self._limits.of_call(timeout, max_retries), "POST", id, "redact")
        )

    async def redeliver(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> Confirmation:
        """Sends the webhook of a verified confirmation again. Your handler answers `already accepted`
        if it acted on it before."""
        return await self._driver.run(
            self._calls.one(
                self._limits.of_call(timeout, max_retries), "POST", id, "redeliver", repeat=Repeat.IF_REFUSED
            )
        )

    async def list(
        self,
        *,
        status: ConfirmationStatus | None = None,
        last_digits: str | None = None,
        created_from: datetime | str | None = None,
        created_before: datetime | str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **more: Any,
    ) -> AsyncIterator[Confirmation]:
        """Iterates over all confirmations that fit, page by page.

        `last_digits` are the last two to six digits of the number, `limit` is the size of a page (1 to 100).
        """
        query: dict[str, Any] = {
            "status": status,
            "last_digits": last_digits,
            "created_from": created_from,
            "created_before": created_before,
            "limit": limit,
            "cursor": cursor,
            **more,
        }
        while True:
            page = await self.page(**query, timeout=timeout, max_retries=max_retries)
            for confirmation in page.confirmations:
                yield confirmation
            if page.next_cursor is None:
                return
            query["cursor"] = page.next_cursor

    async def page(
        self,
        *,
        status: ConfirmationStatus | None = None,
        last_digits: str | None = None,
        created_from: datetime | str | None = None,
        created_before: datetime | str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **more: Any,
    ) -> ConfirmationPage:
        """Returns one page, and as `next_cursor` where the next one begins, or None after the last page."""
        query = {
            "status": status,
            "last_digits": last_digits,
            "created_from": created_from,
            "created_before": created_before,
            "limit": limit,
            "cursor": cursor,
            **more,
        }
        limits = self._limits.of_call(timeout, max_retries)
        return await self._driver.run(self._calls.page(query, limits))


class AsyncWebhooks:
    """Webhooks of the service."""

    def __init__(self, driver: AsyncDriver, verifier: WebhookVerifier) -> None:
        self._driver = driver
        self._verifier = verifier

    async def verify(self, raw_body: Body, headers: Headers) -> Event:
        """Returns the event that the service sent. `raw_body` has to be what arrived, not JSON that was parsed.

        It says nothing about whose confirmation it is: accept an id only if you stored it, and only once.
        Raises `WebhookVerificationError`, or `KeysUnavailableError` if the keys cannot be fetched just now.
        """
        return await self._driver.run(self._verifier.verify(raw_body, headers))


class AsyncLogins:
    """Logins by QR code or app link."""

    def __init__(self, driver: AsyncDriver, calls: LoginCalls, limits: Limits) -> None:
        self._driver = driver
        self._calls = calls
        self._limits = limits

    async def create(
        self,
        *,
        browser_token: str,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[CreateSessionRequest],
    ) -> NewSession:
        """Opens a login in the browser's place.

        `browser_token` is 32 random bytes in base64url, made for this login. Keep it in the browser's own
        session on your server: it redeems the payload. The same token and key get the same answer again.
        Compare `session_id` with the id that you compute before you show `url`, and count down from
        `expires_in`.
        """
        return await self._driver.run(
            self._calls.create(browser_token, request, self._limits.of_call(timeout, max_retries))
        )

    async def get(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> InspectedSession:
        """Reads a login. Nothing in it logs a user in: an id proves nothing, since it is on a screen."""
        return await self._driver.run(self._calls.get(id, self._limits.of_call(timeout, max_retries)))

    async def cancel(self, id: str, *, timeout: float | None = None, max_retries: int | None = None) -> None:
        """Ends a login that is not over."""
        return await self._driver.run(self._calls.cancel(id, self._limits.of_call(timeout, max_retries)))

    @overload
    async def verify(
        self,
        *,
        session_id: str,
        payload: str,
        salt: str | None,
        proof: str | None,
        origin: str,
        find_key: Callable[[str], KnownKey | None | Awaitable[KnownKey | None]],
        context: str | None = None,
        opened_by_server: Literal[False] = False,
    ) -> Login: ...

    @overload
    async def verify(
        self,
        *,
        session_id: str,
        payload: str | None = None,
        salt: str | None = None,
        proof: str | None,
        origin: str,
        find_key: Callable[[str], KnownKey | None | Awaitable[KnownKey | None]],
        context: str | None = None,
        opened_by_server: Literal[True],
    ) -> Login: ...

    async def verify(
        self,
        *,
        session_id: str,
        payload: str | None = None,
        salt: str | None = None,
        proof: str | None,
        origin: str,
        find_key: Callable[[str], KnownKey | None | Awaitable[KnownKey | None]],
        context: str | None = None,
        opened_by_server: bool = False,
    ) -> Login:
        """Returns who confirmed a login, and that this browser brought its payload.

        It uses up nothing: accept each `session_id` only once, as the handlers do. `find_key` gets a key id
        and returns a key that a user of yours registered, or None. `context` is the text with which you
        opened the login, or None if it had none. Raises `LoginVerificationError`, also if the page got no salt
        and no proof.

        With `opened_by_server=True` neither `payload` nor `salt` is needed. **Only for an id that your server opened
        itself, for this browser, and took from its own record**: an id that a page names proves nothing.
        """
        detail = {"session_id": session_id, "payload": payload, "salt": salt, "proof": proof}
        return await self._driver.run(self._calls.verify(detail, origin, find_key, context, opened_by_server))


class AsyncAssociationKeys:
    """Keys with which phones prove who confirmed a login, registered with the service."""

    def __init__(self, driver: AsyncDriver, calls: AssociationKeyCalls, limits: Limits) -> None:
        self._driver = driver
        self._calls = calls
        self._limits = limits

    async def register(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[RegisterAssociationKeyRequest],
    ) -> AssociationKeyId:
        """Registers a user's key. Always pass `signature`, which shows that the phone has the private half."""
        return await self._driver.run(
            self._calls.register(request, self._limits.of_call(timeout, max_retries))
        )

    async def list(
        self, *, public_user_id: str, timeout: float | None = None, max_retries: int | None = None
    ) -> Sequence[RegisteredAssociationKey]:
        """Returns the active keys of a user, oldest first."""
        return await self._driver.run(
            self._calls.list(public_user_id, self._limits.of_call(timeout, max_retries))
        )

    async def revoke(
        self, key_id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> AssociationKeyId:
        """Revokes a key for ever."""
        return await self._driver.run(self._calls.revoke(key_id, self._limits.of_call(timeout, max_retries)))


class AsyncCountersign:
    """A client of one app. Event loops may share it, one after the other.

    `url` must be https, or name this machine. `app_key` is needed to verify logins. To verify webhooks, give
    `webhook_secret`, one or a list while you change it: they must then have a `webhook-signature` by it, so that
    only your app's are taken. Or give `webhook_keys="published"`: they must then have an `x-signature` by one of
    the service's published keys. **It signs the webhooks of all its apps with them.**

    `store` remembers what this service started. **By default that is the memory of this process: with several
    processes, give a shared one.** `key_refetch_seconds` is the least time between two fetches of the published keys.

    A call takes at most `timeout` seconds, with all tries and the waits between them, and is tried again at most
    `max_retries` times. `http_client` sends the requests in place of a client of httpx that takes proxies from the
    environment. You close it.

    `allow_unencrypted_http` allows plain http to a private host, such as `http://countersign:8080` between
    containers. **Everyone on that network can then read the API key, and answer with other keys**, so that
    forged webhooks and logins pass.

    An option that is None or empty is refused: leave it out.
    """

    def __init__(
        self,
        *,
        url: str,
        api_key: str,
        app_key: str = UNSET,
        webhook_secret: str | Sequence[str] = UNSET,
        webhook_keys: Literal["published"] = UNSET,
        store: AsyncStore = UNSET,
        key_refetch_seconds: float = 10,
        timeout: float = 30,
        max_retries: int = 2,
        http_client: httpx.AsyncClient = UNSET,
        allow_unencrypted_http: bool = False,
    ) -> None:
        self.store: AsyncStore = AsyncMemoryStore() if store is UNSET else options.store(store)
        self._driver = AsyncDriver()
        self._seam = Seam(asyncio.sleep)
        unencrypted = options.flag("allow_unencrypted_http", allow_unencrypted_http)
        http = options.given("http_client", http_client)
        if http is not None and not isinstance(http, httpx.AsyncClient):
            raise ValueError("http_client is not a httpx.AsyncClient")
        self._transport = AsyncTransport(options.base_url(url, unencrypted=unencrypted), http)
        parts = Assembly(
            self._driver,
            self._transport,
            self._seam,
            self.store,
            api_key=api_key,
            app_key=app_key,
            webhook_secret=webhook_secret,
            webhook_keys=webhook_keys,
            key_refetch_seconds=key_refetch_seconds,
            limits=Limits(timeout, max_retries),
        )
        self._parts = parts
        self.confirmations = AsyncConfirmations(self._driver, parts.confirmations, parts.limits)
        self.webhooks = AsyncWebhooks(self._driver, parts.webhooks)
        self.logins = AsyncLogins(self._driver, parts.logins, parts.limits)
        self.association_keys = AsyncAssociationKeys(self._driver, parts.association_keys, parts.limits)
        self.approvals = AsyncApprovals(self._driver, parts.approvals)

    async def aclose(self) -> None:
        """Closes its connections."""
        await self._transport.close()

    async def __aenter__(self) -> "AsyncCountersign":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
