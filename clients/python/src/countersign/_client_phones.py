"""The phone registrations of both clients."""

from typing import Unpack

from . import _api as api
from ._acts import remember, remember_async
from ._service import AsyncService, Service
from .requests import CreatePhoneRegistrationRequest
from .store import WEBHOOK_TTL_SECONDS, AsyncStore, Store
from .types import CreatedPhoneRegistration, ShownPhoneRegistration


class PhoneRegistrations:
    """Registrations that set a phone without an app up: its browser becomes one of a user's phones."""

    def __init__(self, service: Service, store: Store) -> None:
        self._service = service
        self._store = store

    def create(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[CreatePhoneRegistrationRequest],
    ) -> CreatedPhoneRegistration:
        """Begins to set up a phone.

        **Call it only for a user who has just logged in again**, or who has approved it with another phone, and
        give the whole answer to that user's page, as `to_json` writes it: anyone who has `url` and `page_token` can
        add a phone to the account. So log neither. A retry after a lost answer creates another registration, and
        the lost one expires.
        """
        created = self._service.call(api.create_phone_registration(request), timeout, max_retries)
        remember(self._store, created.registration_id, WEBHOOK_TTL_SECONDS)
        return created

    def get(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> ShownPhoneRegistration:
        """Reads a registration, which the service keeps for a day.

        Once its `state` is `completed`, `key_id` is one of the user's association keys.
        """
        return self._service.call(api.get_phone_registration(id), timeout, max_retries)

    def cancel(self, id: str, *, timeout: float | None = None, max_retries: int | None = None) -> None:
        """Cancels a registration whose digits the user has not typed yet."""
        return self._service.call(api.cancel_phone_registration(id), timeout, max_retries)


class AsyncPhoneRegistrations:
    """Registrations that set a phone without an app up: its browser becomes one of a user's phones."""

    def __init__(self, service: AsyncService, store: AsyncStore) -> None:
        self._service = service
        self._store = store

    async def create(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[CreatePhoneRegistrationRequest],
    ) -> CreatedPhoneRegistration:
        """Begins to set up a phone.

        **Call it only for a user who has just logged in again**, or who has approved it with another phone, and
        give the whole answer to that user's page, as `to_json` writes it: anyone who has `url` and `page_token` can
        add a phone to the account. So log neither. A retry after a lost answer creates another registration, and
        the lost one expires.
        """
        created = await self._service.call(api.create_phone_registration(request), timeout, max_retries)
        await remember_async(self._store, created.registration_id, WEBHOOK_TTL_SECONDS)
        return created

    async def get(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> ShownPhoneRegistration:
        """Reads a registration, which the service keeps for a day.

        Once its `state` is `completed`, `key_id` is one of the user's association keys.
        """
        return await self._service.call(api.get_phone_registration(id), timeout, max_retries)

    async def cancel(self, id: str, *, timeout: float | None = None, max_retries: int | None = None) -> None:
        """Cancels a registration whose digits the user has not typed yet."""
        return await self._service.call(api.cancel_phone_registration(id), timeout, max_retries)
