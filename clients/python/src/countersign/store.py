"""Stores of the ids that this service has started, and of those on which it has acted.

Each id is acted on once.
"""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Literal, Protocol, TypeAlias

# The service retries a webhook for a day, and redelivers it on request for a week.
WEBHOOK_TTL_SECONDS = 8 * 24 * 60 * 60
# No proof is valid for longer than this.
LOGIN_TTL_SECONDS = 10 * 60
SWEEP_SECONDS = 60

Acceptance: TypeAlias = Literal["accepted", "repeated", "unknown"]


class Store(Protocol):
    """Remembers what this service started, so that it acts once on each webhook and each login.

    Ids are texts of at most 64 characters: of confirmations (`cfm_...`), of logins (`qrs_...`, `qrp_...`), of
    approvals (`apr_...`), of phone registrations (`phr_...`), and of webhooks about logins (`webhook:qrs_...`).
    `examples/` has a store in SQL and one in Redis.
    """

    def remember(self, id: str, ttl_seconds: int, act: Callable[[], None]) -> bool:
        """Unless the id is known, runs `act`, stores the id as pending if that succeeded, and returns True.

        If `act` raises, the id stays unknown and the error propagates. Returns False if the id is known. The id
        may be removed after `ttl_seconds`.
        """

    def accept(self, id: str, act: Callable[[], None]) -> Acceptance:
        """Runs `act` if the id is pending, and marks it accepted if that succeeded.

        If `act` raises, the id stays pending and the error propagates. Of concurrent calls for one id, one
        runs `act` and the others wait for it.
        """


class AsyncStore(Protocol):
    """A `Store` for `AsyncCountersign`."""

    async def remember(self, id: str, ttl_seconds: int, act: Callable[[], Awaitable[None]]) -> bool:
        """Unless the id is known, runs `act` and stores the id as pending if that succeeded; see `Store`."""

    async def accept(self, id: str, act: Callable[[], Awaitable[None]]) -> Acceptance:
        """Runs `act` if the id is pending, and marks it accepted if that succeeded; see `Store`."""


def login_webhook_id(session_id: str) -> str:
    """Returns the id of the webhook about a login.

    It differs from the login's id, which it must not use up.
    """
    return f"webhook:{session_id}"


class _Entry:
    def __init__(self, expires_at: float) -> None:
        self.expires_at = expires_at
        # Whether the act of `remember` has succeeded.
        self.remembered = False
        self.accepted = False
        # Completed when the call that acts on the id has ended. None while no call is acting.
        self.acting: Future[None] | None = None


class _Entries:
    """The ids of a memory store, without the expired ones. Threads and event loops may share them."""

    def __init__(self) -> None:
        self.monotonic = time.monotonic
        self._mutex = threading.Lock()
        self._entries: dict[str, _Entry] = {}
        self._swept_at = float("-inf")

    def begin_new(self, id: str, ttl_seconds: int) -> "_Entry | Future[None] | None":
        """Returns a new entry to act for, the future to wait for before trying again, or None if the id is
        known.
        """
        with self._mutex:
            now = self.monotonic()
            if now - self._swept_at > SWEEP_SECONDS:
                self._swept_at = now
                self._entries = {
                    known: entry for known, entry in self._entries.items() if entry.expires_at > now
                }
            known = self._find(id)
            if known is not None:
                return None if known.remembered else known.acting
            entry = self._entries[id] = _Entry(now + ttl_seconds)
            entry.acting = Future()
            return entry

    def end_new(self, id: str, entry: _Entry, *, remembered: bool) -> None:
        with self._mutex:
            acting, entry.acting, entry.remembered = entry.acting, None, remembered
            if not remembered:
                del self._entries[id]
        if acting is not None:
            acting.set_result(None)

    def begin(self, id: str) -> "_Entry | Future[None] | Acceptance":
        """Returns the entry to act on, the future to wait for before trying again, or the known state."""
        with self._mutex:
            entry = self._find(id)
            if entry is None:
                return "unknown"
            if entry.accepted:
                return "repeated"
            if entry.acting is not None:
                return entry.acting
            entry.acting = Future()
            return entry

    def end(self, entry: _Entry, *, accepted: bool) -> None:
        with self._mutex:
            acting, entry.acting, entry.accepted = entry.acting, None, accepted
        if acting is not None:
            acting.set_result(None)

    def _find(self, id: str) -> _Entry | None:
        entry = self._entries.get(id)
        return entry if entry and entry.expires_at > self.monotonic() else None


class MemoryStore:
    """Keeps ids in this process. **Several processes need a shared store**, and a restart forgets all ids."""

    def __init__(self) -> None:
        self._entries = _Entries()

    def remember(self, id: str, ttl_seconds: int, act: Callable[[], None]) -> bool:
        while isinstance(begun := self._entries.begin_new(id, ttl_seconds), Future):
            begun.result()
        if begun is None:
            return False
        remembered = False
        try:
            act()
            remembered = True
        finally:
            self._entries.end_new(id, begun, remembered=remembered)
        return True

    def accept(self, id: str, act: Callable[[], None]) -> Acceptance:
        while isinstance(begun := self._entries.begin(id), Future):
            begun.result()
        if not isinstance(begun, _Entry):
            return begun
        accepted = False
        try:
            act()
            accepted = True
        finally:
            self._entries.end(begun, accepted=accepted)
        return "accepted"


class AsyncMemoryStore:
    """Keeps ids in this process. **Several processes need a shared store**, and a restart forgets all ids."""

    def __init__(self) -> None:
        self._entries = _Entries()

    async def remember(self, id: str, ttl_seconds: int, act: Callable[[], Awaitable[None]]) -> bool:
        while isinstance(begun := self._entries.begin_new(id, ttl_seconds), Future):
            await asyncio.shield(asyncio.wrap_future(begun))
        if begun is None:
            return False
        remembered = False
        try:
            await act()
            remembered = True
        finally:
            self._entries.end_new(id, begun, remembered=remembered)
        return True

    async def accept(self, id: str, act: Callable[[], Awaitable[None]]) -> Acceptance:
        while isinstance(begun := self._entries.begin(id), Future):
            # Shielded, so that a caller who is cancelled does not cancel it for the others.
            await asyncio.shield(asyncio.wrap_future(begun))
        if not isinstance(begun, _Entry):
            return begun
        accepted = False
        try:
            await act()
            accepted = True
        finally:
            self._entries.end(begun, accepted=accepted)
        return "accepted"
