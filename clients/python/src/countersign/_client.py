"""The client for threads."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, Unpack, overload

import httpx

from . import _api as api
from . import _options as options
from ._acts import remember
from ._client_approvals import Approvals
from ._client_logins import Logins
from ._client_phones import PhoneRegistrations
from ._clock import Seam
from ._options import UNSET
from ._requests import Call, Limits, Repeat
from ._service import Service
from ._settings import Settings
from ._transport import Transport
from ._watched import WatchedConfirmationSession
from ._webhooks import Body, Event, Headers, KeySigned, SecretSigned
from .requests import AcquireRequest, ConfirmRequest, RegisterAssociationKeyRequest
from .store import WEBHOOK_TTL_SECONDS, MemoryStore, Store
from .types import (
    AssociationKeyId,
    Confirmation,
    ConfirmationPage,
    ConfirmationSession,
    ConfirmationStatus,
    RegisteredAssociationKey,
)


class Confirmations:
    """Phone numbers, proven by a text that the user sends."""

    def __init__(self, service: Service, store: Store) -> None:
        self._service = service
        self._store = store

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
        """Starts a confirmation that acquires the number from which the text is first sent.

        Show `confirmation_message` only to this user. Count down from `expires_in`: a clock may be wrong.
        Without an `idempotency_key`, each call uses a random one for all its attempts.

        `on_started` writes your record of the answer's `confirmation_id` before this call returns and before a
        webhook for it is accepted; with a store in SQL, in the transaction in which the store writes the id. It is
        not called for a repeated answer. If it raises, so does this call: then show nothing.
        """
        members = {**request, "client_channel": client_channel}
        call = api.start_confirmation("acquire-phone-number", members, idempotency_key)
        return self._start(call, on_started, timeout, max_retries)

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
        """Starts a confirmation of a number that you already have. Only a text from it counts.

        Store and compare the answer's `phone_number`: it is in E.164, as in the webhook. `on_started` writes your
        record, as in `acquire`.
        """
        members = {**request, "client_channel": client_channel}
        call = api.start_confirmation("make-confirmation", members, idempotency_key)
        return self._start(call, on_started, timeout, max_retries)

    def _start(
        self,
        call: Call[ConfirmationSession],
        on_started: Callable[[ConfirmationSession], None] | None,
        timeout: float | None,
        max_retries: int | None,
    ) -> ConfirmationSession:
        options.optional_callback("on_started", on_started, asynchronous=False)
        started = self._service.call(call, timeout, max_retries)
        id = started.confirmation_id
        remember(self._store, id, WEBHOOK_TTL_SECONDS, on_started, started)
        return started

    def get(self, id: str, *, timeout: float | None = None, max_retries: int | None = None) -> Confirmation:
        return self._service.call(api.confirmation("GET", id), timeout, max_retries)

    def cancel(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> Confirmation:
        """Cancels an open confirmation. Otherwise raises a problem such as `confirmation_verified`."""
        return self._service.call(api.confirmation("DELETE", id), timeout, max_retries)

    def redact(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> Confirmation:
        """Erases the numbers and the metadata of a confirmation."""
        return self._service.call(api.confirmation("POST", id, "redact"), timeout, max_retries)

    def redeliver(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> Confirmation:
        """Sends the webhook of a verified confirmation again. Your handler answers `already accepted`
        if it acted on it before."""
        return self._service.call(
            api.confirmation("POST", id, "redeliver", repeat=Repeat.IF_REFUSED), timeout, max_retries
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
        return self._service.call(api.confirmation_page(query), timeout, max_retries)


class Webhooks:
    """The service's webhooks."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def verify(self, raw_body: Body, headers: Headers) -> Event:
        """Returns the event that the service sent. `raw_body` must be the bytes as they arrived, not parsed
        JSON.

        A valid signature does not say whose confirmation it is: accept an id only if you stored it, and only
        once. Raises `WebhookVerificationError`, or `KeysUnavailableError` if the keys cannot be fetched at
        the moment.
        """
        match self._service.settings.webhooks.check(raw_body, headers):
            case SecretSigned() as webhook:
                return webhook.event(self._service.time())
            case KeySigned() as webhook:
                return webhook.event(self._service.published_key(webhook.kid))


class AssociationKeys:
    """The keys, registered with the service, with which phones prove who confirmed a login."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def register(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[RegisterAssociationKeyRequest],
    ) -> AssociationKeyId:
        """Registers a user's key.

        Always pass `signature`, which shows that the phone has the private half.
        """
        return self._service.call(api.register_key(request), timeout, max_retries)

    def list(
        self, *, public_user_id: str, timeout: float | None = None, max_retries: int | None = None
    ) -> Sequence[RegisteredAssociationKey]:
        """Returns a user's active keys, oldest first."""
        return self._service.call(api.list_keys(public_user_id), timeout, max_retries)

    def revoke(
        self, key_id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> AssociationKeyId:
        """Revokes a key permanently."""
        return self._service.call(api.revoke_key(key_id), timeout, max_retries)


class Countersign:
    """The client of one app. Create one per process: threads may share it.

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
        store: Store = UNSET,
        key_refetch_seconds: float = 10,
        timeout: float = 30,
        max_retries: int = 2,
        http_client: httpx.Client = UNSET,
        allow_unencrypted_http: bool = False,
    ) -> None:
        self.store: Store = MemoryStore() if store is UNSET else options.store(store)
        self._seam = Seam(time.sleep)
        unencrypted = options.flag("allow_unencrypted_http", allow_unencrypted_http)
        http = options.given("http_client", http_client)
        if http is not None and not isinstance(http, httpx.Client):
            raise ValueError("http_client is not a httpx.Client")
        self._transport = Transport(options.base_url(url, unencrypted=unencrypted), http)
        settings = Settings(
            api_key=api_key,
            app_key=app_key,
            webhook_secret=webhook_secret,
            webhook_keys=webhook_keys,
            key_refetch_seconds=key_refetch_seconds,
            limits=Limits(timeout, max_retries),
        )
        self._service = Service(self._transport, settings, self._seam)
        self.confirmations = Confirmations(self._service, self.store)
        self.webhooks = Webhooks(self._service)
        self.logins = Logins(self._service, self.store)
        self.association_keys = AssociationKeys(self._service)
        self.phone_registrations = PhoneRegistrations(self._service, self.store)
        self.approvals = Approvals(self._service, self.store, self.logins)

    def close(self) -> None:
        """Closes its connections."""
        self._transport.close()

    def __enter__(self) -> "Countersign":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
