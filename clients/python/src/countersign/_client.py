"""The client for threads."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, Unpack, overload

import httpx

from . import _options as options
from ._api import AssociationKeyCalls, ConfirmationCalls, LoginCalls
from ._assembly import Assembly
from ._client_approvals import Approvals
from ._clock import Seam
from ._flow import Driver
from ._options import UNSET
from ._proofs import KnownKey, Login
from ._requests import Limits, Repeat
from ._transport import Transport
from ._watched import WatchedConfirmationSession
from ._webhooks import Body, Event, Headers, WebhookVerifier
from .requests import AcquireRequest, ConfirmRequest, CreateSessionRequest, RegisterAssociationKeyRequest
from .store import MemoryStore, Store
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


class Confirmations:
    """Phone numbers, proven by a text that the user sends."""

    def __init__(self, driver: Driver, calls: ConfirmationCalls, limits: Limits) -> None:
        self._driver = driver
        self._calls = calls
        self._limits = limits

    @overload
    def acquire(
        self,
        *,
        client_channel: Literal[True],
        idempotency_key: str | None = None,
        on_started: Callable[[ConfirmationSession], None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[AcquireRequest],
    ) -> WatchedConfirmationSession: ...

    @overload
    def acquire(
        self,
        *,
        client_channel: bool | None = None,
        idempotency_key: str | None = None,
        on_started: Callable[[ConfirmationSession], None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[AcquireRequest],
    ) -> ConfirmationSession: ...

    def acquire(
        self,
        *,
        client_channel: bool | None = None,
        idempotency_key: str | None = None,
        on_started: Callable[[ConfirmationSession], None] | None = None,
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
        return self._driver.run(
            self._calls.start("acquire-phone-number", members, idempotency_key, on_started, limits)
        )

    @overload
    def confirm(
        self,
        *,
        client_channel: Literal[True],
        idempotency_key: str | None = None,
        on_started: Callable[[ConfirmationSession], None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[ConfirmRequest],
    ) -> WatchedConfirmationSession: ...

    @overload
    def confirm(
        self,
        *,
        client_channel: bool | None = None,
        idempotency_key: str | None = None,
        on_started: Callable[[ConfirmationSession], None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[ConfirmRequest],
    ) -> ConfirmationSession: ...

    def confirm(
        self,
        *,
        client_channel: bool | None = None,
        idempotency_key: str | None = None,
        on_started: Callable[[ConfirmationSession], None] | None = None,
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
        return self._driver.run(
            self._calls.start("make-confirmation", members, idempotency_key, on_started, limits)
        )

    def get(self, id: str, *, timeout: float | None = None, max_retries: int | None = None) -> Confirmation:
        return self._driver.run(self._calls.one(self._limits.of_call(timeout, max_retries), "GET", id))

    def cancel(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> Confirmation:
        """Cancels a confirmation that is open. Otherwise raises a problem such as `confirmation_verified`."""
        return self._driver.run(self._calls.one(self._limits.of_call(timeout, max_retries), "DELETE", id))

    def redact(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> Confirmation:
        """Erases the numbers and the metadata of a confirmation."""
        return self._driver.run(
            self._calls.one(self._limits.of_call(timeout, max_retries), "POST", id, "redact")
        )

    def redeliver(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> Confirmation:
        """Sends the webhook of a verified confirmation again. Your handler answers `already accepted`
        if it acted on it before."""
        return self._driver.run(
            self._calls.one(
                self._limits.of_call(timeout, max_retries), "POST", id, "redeliver", repeat=Repeat.IF_REFUSED
            )
        )

    def list(
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
    ) -> Iterator[Confirmation]:
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
            page = self.page(**query, timeout=timeout, max_retries=max_retries)
            yield from page.confirmations
            if page.next_cursor is None:
                return
            query["cursor"] = page.next_cursor

    def page(
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
        return self._driver.run(self._calls.page(query, limits))


class Webhooks:
    """Webhooks of the service."""

    def __init__(self, driver: Driver, verifier: WebhookVerifier) -> None:
        self._driver = driver
        self._verifier = verifier

    def verify(self, raw_body: Body, headers: Headers) -> Event:
        """Returns the event that the service sent. `raw_body` has to be what arrived, not JSON that was parsed.

        It says nothing about whose confirmation it is: accept an id only if you stored it, and only once.
        Raises `WebhookVerificationError`, or `KeysUnavailableError` if the keys cannot be fetched just now.
        """
        return self._driver.run(self._verifier.verify(raw_body, headers))


class Logins:
    """Logins by QR code or app link."""

    def __init__(self, driver: Driver, calls: LoginCalls, limits: Limits) -> None:
        self._driver = driver
        self._calls = calls
        self._limits = limits

    def create(
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
        return self._driver.run(
            self._calls.create(browser_token, request, self._limits.of_call(timeout, max_retries))
        )

    def get(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> InspectedSession:
        """Reads a login. Nothing in it logs a user in: an id proves nothing, since it is on a screen."""
        return self._driver.run(self._calls.get(id, self._limits.of_call(timeout, max_retries)))

    def cancel(self, id: str, *, timeout: float | None = None, max_retries: int | None = None) -> None:
        """Ends a login that is not over."""
        return self._driver.run(self._calls.cancel(id, self._limits.of_call(timeout, max_retries)))

    @overload
    def verify(
        self,
        *,
        session_id: str,
        payload: str,
        salt: str | None,
        proof: str | None,
        origin: str,
        find_key: Callable[[str], KnownKey | None],
        context: str | None = None,
        opened_by_server: Literal[False] = False,
    ) -> Login: ...

    @overload
    def verify(
        self,
        *,
        session_id: str,
        payload: str | None = None,
        salt: str | None = None,
        proof: str | None,
        origin: str,
        find_key: Callable[[str], KnownKey | None],
        context: str | None = None,
        opened_by_server: Literal[True],
    ) -> Login: ...

    def verify(
        self,
        *,
        session_id: str,
        payload: str | None = None,
        salt: str | None = None,
        proof: str | None,
        origin: str,
        find_key: Callable[[str], KnownKey | None],
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
        return self._driver.run(self._calls.verify(detail, origin, find_key, context, opened_by_server))


class AssociationKeys:
    """Keys with which phones prove who confirmed a login, registered with the service."""

    def __init__(self, driver: Driver, calls: AssociationKeyCalls, limits: Limits) -> None:
        self._driver = driver
        self._calls = calls
        self._limits = limits

    def register(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[RegisterAssociationKeyRequest],
    ) -> AssociationKeyId:
        """Registers a user's key. Always pass `signature`, which shows that the phone has the private half."""
        return self._driver.run(self._calls.register(request, self._limits.of_call(timeout, max_retries)))

    def list(
        self, *, public_user_id: str, timeout: float | None = None, max_retries: int | None = None
    ) -> Sequence[RegisteredAssociationKey]:
        """Returns the active keys of a user, oldest first."""
        return self._driver.run(self._calls.list(public_user_id, self._limits.of_call(timeout, max_retries)))

    def revoke(
        self, key_id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> AssociationKeyId:
        """Revokes a key for ever."""
        return self._driver.run(self._calls.revoke(key_id, self._limits.of_call(timeout, max_retries)))


class Countersign:
    """A client of one app. Create one for each process: threads may share it.

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
        store: Store = UNSET,
        key_refetch_seconds: float = 10,
        timeout: float = 30,
        max_retries: int = 2,
        http_client: httpx.Client = UNSET,
        allow_unencrypted_http: bool = False,
    ) -> None:
        self.store: Store = MemoryStore() if store is UNSET else options.store(store)
        self._driver = Driver()
        self._seam = Seam(time.sleep)
        unencrypted = options.flag("allow_unencrypted_http", allow_unencrypted_http)
        http = options.given("http_client", http_client)
        if http is not None and not isinstance(http, httpx.Client):
            raise ValueError("http_client is not a httpx.Client")
        self._transport = Transport(options.base_url(url, unencrypted=unencrypted), http)
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
        self.confirmations = Confirmations(self._driver, parts.confirmations, parts.limits)
        self.webhooks = Webhooks(self._driver, parts.webhooks)
        self.logins = Logins(self._driver, parts.logins, parts.limits)
        self.association_keys = AssociationKeys(self._driver, parts.association_keys, parts.limits)
        self.approvals = Approvals(self._driver, parts.approvals)

    def close(self) -> None:
        """Closes its connections."""
        self._transport.close()

    def __enter__(self) -> "Countersign":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
