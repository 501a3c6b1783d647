"""Stores: which ids this service knows, and which it has acted on. Each id is acted on once."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

# The service sends a webhook for a day, and on request for a week.
WEBHOOK_TTL_SECONDS = 8 * 24 * 60 * 60
# No proof is valid for longer.
LOGIN_TTL_SECONDS = 10 * 60
SWEEP_SECONDS = 60

Acceptance: TypeAlias = Literal["accepted", "repeated", "unknown"]


class Store(Protocol):
    """Remembers what this service started, so that it acts once on each webhook and each login.

    Ids are texts of at most 64 characters: of confirmations (`cfm_...`), of logins (`qrs_...`, `qrp_...`), and
    of webhooks about logins (`webhook:qrs_...`). `examples/` has a store in SQL and one in Redis.
    """

    def remember(self, id: str, ttl_seconds: int) -> None:
        """Stores an id as pending, unless it is known. It may be forgotten after `ttl_seconds`."""

    def accept(self, id: str, act: Callable[[], None]) -> Acceptance:
        """Runs `act` if the id is pending, and marks it accepted if that succeeded.

        If `act` raises, the id stays pending and the error goes on. Of concurrent calls for one id, one
        runs `act` and the others wait for it.
        """


class AsyncStore(Protocol):
    """A `Store` for `AsyncCountersign`."""

    async def remember(self, id: str, ttl_seconds: int) -> None:
        """Stores an id as pending, unless it is known. It may be forgotten after `ttl_seconds`."""

    async def accept(self, id: str, act: Callable[[], Awaitable[None]]) -> Acceptance:
        """Runs `act` if the id is pending, and marks it accepted if that succeeded; see `Store`."""


L = TypeVar("L")


def login_webhook_id(session_id: str) -> str:
    """Returns the id of the webhook about a login. It differs from the login's, which it must not use up."""
    return f"webhook:{session_id}"


class _Entry(Generic[L]):
    def __init__(self, expires_at: float, lock: L) -> None:
        self.expires_at = expires_at
        self.lock = lock
        self.accepted = False


class _Entries(Generic[L]):
    """The ids of a memory store, without those that have expired. Each has a lock, held while somebody acts on it."""

    def __init__(self, lock: Callable[[], L]) -> None:
        self.monotonic = time.monotonic
        self._lock = lock
        self._entries: dict[str, _Entry[L]] = {}
        self._swept_at = float("-inf")

    def remember(self, id: str, ttl_seconds: int) -> None:
        now = self.monotonic()
        if now - self._swept_at > SWEEP_SECONDS:
            self._swept_at = now
            self._entries = {known: entry for known, entry in self._entries.items() if entry.expires_at > now}
        if self.find(id) is None:
            self._entries[id] = _Entry(now + ttl_seconds, self._lock())

    def find(self, id: str) -> _Entry[L] | None:
        entry = self._entries.get(id)
        return entry if entry and entry.expires_at > self.monotonic() else None


class MemoryStore:
    """Keeps ids in this process. **Several processes need a shared store**, and a restart forgets all ids."""

    def __init__(self) -> None:
        self._entries = _Entries(threading.Lock)
        self._lock = threading.Lock()

    def remember(self, id: str, ttl_seconds: int) -> None:
        with self._lock:
            self._entries.remember(id, ttl_seconds)

    def accept(self, id: str, act: Callable[[], None]) -> Acceptance:
        with self._lock:
            entry = self._entries.find(id)
        if entry is None:
            return "unknown"
        with entry.lock:
            if entry.accepted:
                return "repeated"
            act()
            entry.accepted = True
            return "accepted"


class AsyncMemoryStore:
    """Keeps ids in this process. **Several processes need a shared store**, and a restart forgets all ids."""

    def __init__(self) -> None:
        self._entries = _Entries(asyncio.Lock)

    async def remember(self, id: str, ttl_seconds: int) -> None:
        self._entries.remember(id, ttl_seconds)

    async def accept(self, id: str, act: Callable[[], Awaitable[None]]) -> Acceptance:
        entry = self._entries.find(id)
        if entry is None:
            return "unknown"
        async with entry.lock:
            if entry.accepted:
                return "repeated"
            await act()
            entry.accepted = True
            return "accepted"
