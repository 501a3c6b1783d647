"""The logins of both clients."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import datetime
from typing import Any, Literal, Unpack, overload

from . import _api as api
from ._acts import finish, finished, remember, remember_async
from ._proofs import KnownKey, Login, Presented, known, present
from ._service import AsyncService, Service
from .requests import CreateSessionRequest
from .store import WEBHOOK_TTL_SECONDS, AsyncStore, Store, login_webhook_id
from .types import InspectedSession, NewSession, SessionPage, SessionState


class Logins:
    """Logins by QR code or app link."""

    def __init__(self, service: Service, store: Store) -> None:
        self._service = service
        self._store = store

    def create(
        self,
        *,
        browser_token: str,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[CreateSessionRequest],
    ) -> NewSession:
        """Creates a login on the browser's behalf.

        `browser_token` is 32 random bytes in base64url, generated for this login. Store it in the browser's
        session on your server: it redeems the payload. The same token and key return the same answer again.
        Compare `session_id` with the id that you compute before you show `url`, and count down from
        `expires_in`.
        """
        call = api.create_login(browser_token, request)
        created = self._service.call(call, timeout, max_retries)
        remember(self._store, login_webhook_id(created.session_id), WEBHOOK_TTL_SECONDS)
        return created

    def get(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> InspectedSession:
        """Reads a login. Nothing in it logs a user in: an id proves nothing, since it is on a screen."""
        return self._service.call(api.get_login(id), timeout, max_retries)

    def list(
        self,
        *,
        state: SessionState | None = None,
        created_from: datetime | str | None = None,
        created_before: datetime | str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **more: Any,
    ) -> Iterator[InspectedSession]:
        """Iterates over all matching logins, page by page. `limit` is the size of a page (1 to 100).

        The service keeps a login for less than half an hour: the list shows current problems, not a history.
        """
        query: dict[str, Any] = {
            "state": state,
            "created_from": created_from,
            "created_before": created_before,
            "limit": limit,
            "cursor": cursor,
            **more,
        }
        while True:
            page = self.page(**query, timeout=timeout, max_retries=max_retries)
            yield from page.sessions
            if page.next_cursor is None:
                return
            query["cursor"] = page.next_cursor

    def page(
        self,
        *,
        state: SessionState | None = None,
        created_from: datetime | str | None = None,
        created_before: datetime | str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **more: Any,
    ) -> SessionPage:
        """Returns one page, with `next_cursor` for the next one, or None after the last page."""
        query = {
            "state": state,
            "created_from": created_from,
            "created_before": created_before,
            "limit": limit,
            "cursor": cursor,
            **more,
        }
        return self._service.call(api.login_page(query), timeout, max_retries)

    def cancel(self, id: str, *, timeout: float | None = None, max_retries: int | None = None) -> None:
        """Cancels a login that has not ended."""
        return self._service.call(api.cancel_login(id), timeout, max_retries)

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
        """Returns who confirmed a login, after verifying that this browser sent its payload.

        The call has no side effect: accept each `session_id` only once, as the handlers do. `find_key`
        receives a key id and returns the key that one of your users registered, or None. `context` is the text
        with which you created the login, or None if there was none. Raises `LoginVerificationError`, including
        if the page got neither salt nor proof.

        With `opened_by_server=True` neither `payload` nor `salt` is needed. **Use this only for the id of a login
        that your server created for this browser and stored in its own record**: an id that a page sends proves
        nothing.
        """
        detail = {"session_id": session_id, "payload": payload, "salt": salt, "proof": proof}
        app_key = self._service.settings.require_app_key()
        presented = present(detail, app_key, origin, context, opened_by_server=opened_by_server)
        return self._prove(presented, find_key)

    def _prove(self, presented: Presented, find_key: Callable[[str], Any], at: float | None = None) -> Login:
        """Verifies a proof at a given time, by default the service's."""
        key = known(finished(find_key(presented.key_id)))
        now = self._service.time() if at is None else at
        return presented.login(key, now)


class AsyncLogins:
    """Logins by QR code or app link."""

    def __init__(self, service: AsyncService, store: AsyncStore) -> None:
        self._service = service
        self._store = store

    async def create(
        self,
        *,
        browser_token: str,
        timeout: float | None = None,
        max_retries: int | None = None,
        **request: Unpack[CreateSessionRequest],
    ) -> NewSession:
        """Creates a login on the browser's behalf.

        `browser_token` is 32 random bytes in base64url, generated for this login. Store it in the browser's
        session on your server: it redeems the payload. The same token and key return the same answer again.
        Compare `session_id` with the id that you compute before you show `url`, and count down from
        `expires_in`.
        """
        call = api.create_login(browser_token, request)
        created = await self._service.call(call, timeout, max_retries)
        await remember_async(self._store, login_webhook_id(created.session_id), WEBHOOK_TTL_SECONDS)
        return created

    async def get(
        self, id: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> InspectedSession:
        """Reads a login. Nothing in it logs a user in: an id proves nothing, since it is on a screen."""
        return await self._service.call(api.get_login(id), timeout, max_retries)

    async def list(
        self,
        *,
        state: SessionState | None = None,
        created_from: datetime | str | None = None,
        created_before: datetime | str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **more: Any,
    ) -> AsyncIterator[InspectedSession]:
        """Iterates over all matching logins, page by page. `limit` is the size of a page (1 to 100).

        The service keeps a login for less than half an hour: the list shows current problems, not a history.
        """
        query: dict[str, Any] = {
            "state": state,
            "created_from": created_from,
            "created_before": created_before,
            "limit": limit,
            "cursor": cursor,
            **more,
        }
        while True:
            page = await self.page(**query, timeout=timeout, max_retries=max_retries)
            for login in page.sessions:
                yield login
            if page.next_cursor is None:
                return
            query["cursor"] = page.next_cursor

    async def page(
        self,
        *,
        state: SessionState | None = None,
        created_from: datetime | str | None = None,
        created_before: datetime | str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        **more: Any,
    ) -> SessionPage:
        """Returns one page, with `next_cursor` for the next one, or None after the last page."""
        query = {
            "state": state,
            "created_from": created_from,
            "created_before": created_before,
            "limit": limit,
            "cursor": cursor,
            **more,
        }
        return await self._service.call(api.login_page(query), timeout, max_retries)

    async def cancel(self, id: str, *, timeout: float | None = None, max_retries: int | None = None) -> None:
        """Cancels a login that has not ended."""
        return await self._service.call(api.cancel_login(id), timeout, max_retries)

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
        """Returns who confirmed a login, after verifying that this browser sent its payload.

        The call has no side effect: accept each `session_id` only once, as the handlers do. `find_key`
        receives a key id and returns the key that one of your users registered, or None. `context` is the text
        with which you created the login, or None if there was none. Raises `LoginVerificationError`, including
        if the page got neither salt nor proof.

        With `opened_by_server=True` neither `payload` nor `salt` is needed. **Use this only for the id of a login
        that your server created for this browser and stored in its own record**: an id that a page sends proves
        nothing.
        """
        detail = {"session_id": session_id, "payload": payload, "salt": salt, "proof": proof}
        app_key = self._service.settings.require_app_key()
        presented = present(detail, app_key, origin, context, opened_by_server=opened_by_server)
        return await self._prove(presented, find_key)

    async def _prove(
        self, presented: Presented, find_key: Callable[[str], Any], at: float | None = None
    ) -> Login:
        """Verifies a proof at a given time, by default the service's."""
        key = known(await finish(find_key(presented.key_id)))
        now = (await self._service.time()) if at is None else at
        return presented.login(key, now)
