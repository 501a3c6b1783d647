"""The client for asyncio."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, Unpack, overload

import httpx

from . import _api as api
from . import _options as options
from ._acts import remember_async
from ._client_approvals import AsyncApprovals
from ._client_logins import AsyncLogins
from ._client_phones import AsyncPhoneRegistrations
from ._clock import Seam
from ._options import UNSET
from ._requests import Call, Limits, Repeat
from ._service import AsyncService
from ._settings import Settings
from ._transport import AsyncTransport
from ._watched import WatchedConfirmationSession
from ._webhooks import Body, Event, Headers, KeySigned, SecretSigned
from .requests import AcquireRequest, ConfirmRequest, RegisterAssociationKeyRequest
from .store import WEBHOOK_TTL_SECONDS, AsyncMemoryStore, AsyncStore
from .types import (
    AssociationKeyId,
    Confirmation,
    ConfirmationPage,
    ConfirmationSession,
    ConfirmationStatus,
    RegisteredAssociationKey,
)


class AsyncConfirmations:
    """Phone numbers, proven by a text that the user sends."""

    def __init__(self, service: AsyncService, store: AsyncStore) -> None:
        self._service = service
        self._store = store

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
        """Starts a confirmation that acquires the number from which the text is first sent.

        Show `confirmation_message` only to this user. Count down from `expires_in`: a clock may be wrong.
        Without an `idempotency_key`, each call uses a random one for all its attempts.

        `on_started` writes your record of the answer's `confirmation_id` before this call returns and before a
        webhook for it is accepted; with a store in SQL, in the transaction in which the store writes the id. It is
        not called for a repeated answer. If it raises, so does this call: then show nothing.
        """
        members = {**request, "client_channel": client_channel}
        call = api.start_confirmation("acquire-phone-number", members, idempotency_key)
        return await self._start(call, on_started, timeout, max_retries)

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
        """Starts a confirmation of a number that you already have. Only a text from it counts.

        Store and compare the answer's `phone_number`: it is in E.164, as in the webhook. `on_started` writes your
        record, as in `acquire`.
        """
        members = {**request, "client_channel": client_channel}
        call = api.start_confirmation("make-confirmation", members, idempotency_key)
        return await self._start(call, on_started, timeout, max_retries)

    async def _start(
        self,
        call: Call[ConfirmationSession],
        on_started: Callable[[ConfirmationSession], Awaitable[None] | None] | None,
        timeout: float | None,
        max_retries: int | None,
    ) -> ConfirmationSession:
        options.optional_callback("on_started", on_started, asynchronous=True)
        started = await self._service.call(call, timeout, max_retries)
        id = started.confirmation_id
        await remember_async(self._store, id, WEBHOOK_TTL_SECONDS, on_started, started)
        return started

    async def get(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> Confirmation:
        return await self._service.call(api.confirmation("GET", id), timeout, max_retries)

    async def cancel(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> Confirmation:
        """Cancels an open confirmation. Otherwise raises a problem such as `confirmation_verified`."""
        return await self._service.call(api.confirmation("DELETE", id), timeout, max_retries)

    async def redact(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> Confirmation:
        """Erases the numbers and the metadata of a confirmation."""
        return await self._service.call(api.confirmation("POST", id, "redact"), timeout, max_retries)

    async def redeliver(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> Confirmation:
        """Sends the webhook of a verified confirmation again. Your handler answers `already accepted`
        if it acted on it before."""
        return await self._service.call(
            api.confirmation("POST", id, "redeliver", repeat=Repeat.IF_REFUSED), timeout, max_retries
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
        """Iterates over all matching confirmations, page by page.

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
        """Returns one page, with `next_cursor` for the next one, or None after the last page."""
        query = {
            "status": status,
            "last_digits": last_digits,
            "created_from": created_from,
            "created_before": created_before,
            "limit": limit,
            "cursor": cursor,
            **more,
        }
        return await self._service.call(api.confirmation_page(query), timeout, max_retries)


class AsyncWebhooks:
    """The service's webhooks."""

    def __init__(self, service: AsyncService) -> None:
        self._service = service

    async def verify(self, raw_body: Body, headers: Headers) -> Event:
        """Returns the event that the service sent. `raw_body` must be the bytes as they arrived, not parsed
        JSON.

        A valid signature does not say whose confirmation it is: accept an id only if you stored it, and only
        once. Raises `WebhookVerificationError`, or `KeysUnavailableError` if the keys cannot be fetched at
        the moment.
        """
        match self._service.settings.webhooks.check(raw_body, headers):
            case SecretSigned() as webhook:
                return webhook.event(await self._service.time())
            case KeySigned() as webhook:
                return webhook.event(await self._service.published_key(webhook.kid))


class AsyncAssociationKeys:
    """The keys, registered with the service, with which phones prove who confirmed a login."""

    def __init__(self, service: AsyncService) -> None:
        self._service = service

    async def register(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[RegisterAssociationKeyRequest],
    ) -> AssociationKeyId:
        """Registers a user's key.

        Always pass `signature`, which shows that the phone has the private half.
        """
        return await self._service.call(api.register_key(request), timeout, max_retries)

    async def list(
        self, *, public_user_id: str, timeout: float | None = None, max_retries: int | None = None
    ) -> Sequence[RegisteredAssociationKey]:
        """Returns a user's active keys, oldest first."""
        return await self._service.call(api.list_keys(public_user_id), timeout, max_retries)

    async def revoke(
        self, key_id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> AssociationKeyId:
        """Revokes a key permanently."""
        return await self._service.call(api.revoke_key(key_id), timeout, max_retries)


class AsyncCountersign:
    """The client of one app. Event loops may use it one after another.

    `url` must be https, or lead to this machine. `app_key` is needed to verify logins. To verify webhooks, pass
    `webhook_secret`, or a list of two while you replace it: webhooks must then have a `webhook-signature` made
    with it, so that only your app's webhooks are accepted. Or pass `webhook_keys="published"`: webhooks must
    then have an `x-signature` made with one of the service's published keys. **The service signs the webhooks
    of all its apps with them.**

    `store` remembers what this service started. **By default that is the memory of this process: with several
    processes, pass a shared one.** `key_refetch_seconds` is the minimum time between two fetches of the published
    keys.

    A call takes at most `timeout` seconds, including retries and the waits between them, and is retried at most
    `max_retries` times. `http_client` sends the requests, instead of an httpx client that uses the environment's
    proxies. You close it.

    `allow_unencrypted_http` allows plain http to a private host, such as `http://countersign:8080` between
    containers. **Everyone on that network can then read the API key, and answer with other keys**, so forged
    webhooks and logins are accepted.

    An option that is None or empty is refused: omit it.
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
        self._seam = Seam(asyncio.sleep)
        unencrypted = options.flag("allow_unencrypted_http", allow_unencrypted_http)
        http = options.given("http_client", http_client)
        if http is not None and not isinstance(http, httpx.AsyncClient):
            raise ValueError("http_client is not a httpx.AsyncClient")
        self._transport = AsyncTransport(options.base_url(url, unencrypted=unencrypted), http)
        settings = Settings(
            api_key=api_key,
            app_key=app_key,
            webhook_secret=webhook_secret,
            webhook_keys=webhook_keys,
            key_refetch_seconds=key_refetch_seconds,
            limits=Limits(timeout, max_retries),
        )
        self._service = AsyncService(self._transport, settings, self._seam)
        self.confirmations = AsyncConfirmations(self._service, self.store)
        self.webhooks = AsyncWebhooks(self._service)
        self.logins = AsyncLogins(self._service, self.store)
        self.association_keys = AsyncAssociationKeys(self._service)
        self.phone_registrations = AsyncPhoneRegistrations(self._service, self.store)
        self.approvals = AsyncApprovals(self._service, self.store, self.logins)

    async def aclose(self) -> None:
        """Closes its connections."""
        await self._transport.close()

    async def __aenter__(self) -> "AsyncCountersign":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
