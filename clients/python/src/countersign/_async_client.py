"""The client for asyncio."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Unpack

from ._api import AssociationKeyCalls, ConfirmationCalls, LoginCalls
from ._assembly import Assembly, base_url
from ._clock import Seam
from ._flow import AsyncDriver
from ._proofs import KnownKey, Login
from ._requests import Repeat
from ._transport import AsyncTransport
from ._webhooks import Event, Headers, WebhookVerifier
from .requests import AcquireRequest, ConfirmRequest, CreateSessionRequest, RegisterAssociationKeyRequest
from .store import AsyncMemoryStore, AsyncStore
from .types import (
    AssociationKeyId,
    Confirmation,
    ConfirmationSession,
    ConfirmationStatus,
    InspectedSession,
    NewSession,
    RegisteredAssociationKey,
)


class AsyncConfirmations:
    """Phone numbers, proven by a text that the user sends."""

    def __init__(self, driver: AsyncDriver, calls: ConfirmationCalls) -> None:
        self._driver = driver
        self._calls = calls

    async def acquire(
        self, *, idempotency_key: str | None = None, **request: Unpack[AcquireRequest]
    ) -> ConfirmationSession:
        """Starts a confirmation that learns the number: of whoever sends the text first.

        Show `confirmation_message` to one user alone. Count down from `expires_in`: a clock may be wrong.
        Without an `idempotency_key` each call has a random one, the same for all its tries.
        """
        return await self._driver.run(self._calls.start("acquire-phone-number", request, idempotency_key))

    async def confirm(
        self, *, idempotency_key: str | None = None, **request: Unpack[ConfirmRequest]
    ) -> ConfirmationSession:
        """Starts a confirmation of a number that you know. Only a text from it counts."""
        return await self._driver.run(self._calls.start("make-confirmation", request, idempotency_key))

    async def get(self, id: str) -> Confirmation:
        return await self._driver.run(self._calls.one("GET", id))

    async def cancel(self, id: str) -> Confirmation:
        """Cancels a confirmation that is open. Otherwise raises a problem such as `confirmation_verified`."""
        return await self._driver.run(self._calls.one("DELETE", id))

    async def redact(self, id: str) -> Confirmation:
        """Erases the numbers and the metadata of a confirmation."""
        return await self._driver.run(self._calls.one("POST", id, "redact"))

    async def redeliver(self, id: str) -> Confirmation:
        """Sends the webhook of a verified confirmation again. Your handler answers `already accepted`
        if it acted on it before."""
        return await self._driver.run(self._calls.one("POST", id, "redeliver", repeat=Repeat.IF_REFUSED))

    async def list(
        self,
        *,
        status: ConfirmationStatus | None = None,
        last_digits: str | None = None,
        created_from: datetime | str | None = None,
        created_before: datetime | str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **more: Any,
    ) -> AsyncIterator[Confirmation]:
        """Iterates over all confirmations that fit, page by page.

        `last_digits` are the last two to six digits of the number, `limit` is the size of a page (1 to 100).
        """
        query: Mapping[str, Any] | None = {
            "status": status,
            "last_digits": last_digits,
            "created_from": created_from,
            "created_before": created_before,
            "limit": limit,
            "cursor": cursor,
            **more,
        }
        while query is not None:
            page, query = await self._driver.run(self._calls.page(query))
            for confirmation in page:
                yield confirmation


class AsyncWebhooks:
    """Webhooks of the service."""

    def __init__(self, driver: AsyncDriver, verifier: WebhookVerifier) -> None:
        self._driver = driver
        self._verifier = verifier

    async def verify(self, raw_body: bytes, headers: Headers) -> Event:
        """Returns the event that the service sent.

        It says nothing about whose confirmation it is: accept an id only if you stored it, and only once.
        Raises `WebhookVerificationError`, or `KeysUnavailableError` if the keys cannot be fetched just now.
        """
        return await self._driver.run(self._verifier.verify(raw_body, headers))


class AsyncLogins:
    """Logins by QR code or app link."""

    def __init__(self, driver: AsyncDriver, calls: LoginCalls) -> None:
        self._driver = driver
        self._calls = calls

    async def create(self, *, browser_token: str, **request: Unpack[CreateSessionRequest]) -> NewSession:
        """Opens a login in the browser's place.

        `browser_token` is 32 random bytes in base64url, made for this login. Keep it in the browser's own
        session on your server: it redeems the payload. The same token and key get the same answer again.
        Compare `session_id` with the id that you compute before you show `url`, and count down from
        `expires_in`.
        """
        return await self._driver.run(self._calls.create(browser_token, request))

    async def get(self, id: str) -> InspectedSession:
        """Reads a login. Nothing in it logs anybody in: an id proves nothing, since it stands on a screen."""
        return await self._driver.run(self._calls.get(id))

    async def cancel(self, id: str) -> None:
        """Ends a login that is not over."""
        return await self._driver.run(self._calls.cancel(id))

    async def verify(
        self,
        *,
        session_id: str,
        payload: str,
        salt: str,
        proof: str,
        origin: str,
        find_key: Callable[[str], KnownKey | None | Awaitable[KnownKey | None]],
        context: str | None = None,
    ) -> Login:
        """Returns who confirmed a login, and that this browser brought its payload.

        It uses up nothing: accept each `session_id` only once, as the handlers do. `find_key` gets a key id
        and returns a key that a user of yours registered, or None. `context` is the text with which you
        opened the login, if any. Raises `LoginVerificationError`.
        """
        detail = {"session_id": session_id, "payload": payload, "salt": salt, "proof": proof}
        return await self._driver.run(self._calls.verify(detail, origin, find_key, context))


class AsyncAssociationKeys:
    """Keys with which phones prove who confirmed a login, registered with the service."""

    def __init__(self, driver: AsyncDriver, calls: AssociationKeyCalls) -> None:
        self._driver = driver
        self._calls = calls

    async def register(self, **request: Unpack[RegisterAssociationKeyRequest]) -> AssociationKeyId:
        """Registers a user's key. Always pass `signature`, which shows that the phone has the private half."""
        return await self._driver.run(self._calls.register(request))

    async def list(self, *, public_user_id: str) -> Sequence[RegisteredAssociationKey]:
        """Returns the active keys of a user, oldest first."""
        return await self._driver.run(self._calls.list(public_user_id))

    async def revoke(self, key_id: str) -> AssociationKeyId:
        """Revokes a key for ever."""
        return await self._driver.run(self._calls.revoke(key_id))


class AsyncCountersign:
    """A client of one app. Create one for each event loop.

    `url` must be https, or name this machine. `app_key` is needed to verify logins. With `webhook_secret`,
    one or a list while you change it, webhooks must have `webhook-signature`; without it, a signature by the
    service's published keys. `store` remembers what this service started.
    **By default that is the memory of this process: with several processes, give a shared one.**
    `key_refetch_seconds` is the least time between two fetches of the published keys.
    """

    def __init__(
        self,
        *,
        url: str,
        api_key: str,
        app_key: str | None = None,
        webhook_secret: str | Sequence[str] | None = None,
        store: AsyncStore | None = None,
        key_refetch_seconds: float = 10,
    ) -> None:
        self.store: AsyncStore = AsyncMemoryStore() if store is None else store
        self._driver = AsyncDriver()
        self._seam = Seam(asyncio.sleep)
        self._transport = AsyncTransport(base_url(url))
        parts = Assembly(
            self._driver,
            self._transport,
            self._seam,
            self.store,
            api_key=api_key,
            app_key=app_key,
            webhook_secret=webhook_secret,
            key_refetch_seconds=key_refetch_seconds,
        )
        self._parts = parts
        self.confirmations = AsyncConfirmations(self._driver, parts.confirmations)
        self.webhooks = AsyncWebhooks(self._driver, parts.webhooks)
        self.logins = AsyncLogins(self._driver, parts.logins)
        self.association_keys = AsyncAssociationKeys(self._driver, parts.association_keys)

    async def aclose(self) -> None:
        """Closes its connections."""
        await self._transport.close()

    async def __aenter__(self) -> "AsyncCountersign":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
