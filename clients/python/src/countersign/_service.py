"""The service: calls with retries, its published keys and its time, for threads and for asyncio."""

import asyncio
import logging
import threading
from dataclasses import replace
from typing import TypeVar

from cryptography.hazmat.primitives.asymmetric import ec

from ._clock import Clock, Seam
from ._keys import KeyCache
from ._requests import Call, Limits, Outcome, Request, Tries, judge
from ._settings import Settings
from ._transport import AsyncTransport, Transport
from .errors import KeysUnavailableError

T = TypeVar("T")

# The sender of a webhook waits ten seconds for our answer.
KEYS_TIMEOUT = 5.0

log = logging.getLogger("countersign")


class _Service:
    """The parts that both clients share."""

    def __init__(self, settings: Settings, seam: Seam, address: str) -> None:
        self.settings = settings
        self.seam = seam
        self.clock = Clock(seam)
        # The service's URL, for error messages.
        self.address = address
        self._keys = KeyCache(seam, settings.key_refetch_seconds)

    def _with_key(self, request: Request) -> Request:
        return replace(request, headers={"x-api-key": self.settings.api_key, **request.headers})

    def _read(self, call: Call[T], outcome: Outcome) -> T:
        return call.read(judge(outcome, self.address, may_be_empty=call.request.may_be_empty))

    @property
    def _keys_limits(self) -> Limits:
        return Limits(min(KEYS_TIMEOUT, self.settings.limits.timeout), 0)


class Service(_Service):
    def __init__(self, transport: Transport, settings: Settings, seam: Seam) -> None:
        super().__init__(settings, seam, transport.address)
        self._transport = transport
        self._fetching = threading.Lock()

    def call(self, call: Call[T], timeout: float | None = None, max_retries: int | None = None) -> T:
        """Makes a call, and returns its parsed answer. Its limits take precedence over the client's."""
        limits = self.settings.limits.of_call(timeout, max_retries)
        return self._read(call, self.exchange(self._with_key(call.request), limits))

    def exchange(self, request: Request, limits: Limits) -> Outcome:
        """Sends a request, retries it where that is safe and may help, and returns the last outcome."""
        tries = Tries(request, limits, self.seam, self.clock)
        while True:
            outcome = self._transport.send(request, tries.timeout)
            wait = tries.wait_after(outcome)
            if wait is None:
                return outcome
            self.seam.sleep(wait)

    def published_key(self, kid: str) -> ec.EllipticCurvePublicKey | None:
        """Returns a published key, or None if the service has no such key."""
        if (key := self._keys.fresh(kid)) is not None:
            return key
        try:
            self._fetch_keys()
        except KeysUnavailableError:
            if (key := self._keys.stale(kid)) is not None:
                return key
            raise
        return self._keys.fetched(kid)

    def time(self) -> float:
        """Returns the service's time in seconds since 1970. If it is not known yet, this call requests it."""
        if not self.clock.known:
            try:
                self._fetch_keys()
            except KeysUnavailableError as error:
                # Some servers are not allowed to make outgoing requests. They can only use their own clock.
                log.warning("the service's time is not known: %s", error)
        return self.clock.now()

    def _fetch_keys(self) -> None:
        """Fetches the keys, once for all threads that ask at the same time."""
        seen = self._keys.loads
        with self._fetching:
            # Another thread may have fetched the keys while this one waited.
            if self._keys.loads == seen:
                request = self._keys.begin_fetch()
                self._keys.end_fetch(self.exchange(request, self._keys_limits), self.address)


class AsyncService(_Service):
    def __init__(self, transport: AsyncTransport, settings: Settings, seam: Seam) -> None:
        super().__init__(settings, seam, transport.address)
        self._transport = transport
        self._fetching: asyncio.Task[None] | None = None

    async def call(self, call: Call[T], timeout: float | None = None, max_retries: int | None = None) -> T:
        """Makes a call, and returns its parsed answer. Its limits take precedence over the client's."""
        limits = self.settings.limits.of_call(timeout, max_retries)
        return self._read(call, await self.exchange(self._with_key(call.request), limits))

    async def exchange(self, request: Request, limits: Limits) -> Outcome:
        """Sends a request, retries it where that is safe and may help, and returns the last outcome."""
        tries = Tries(request, limits, self.seam, self.clock)
        while True:
            outcome = await self._transport.send(request, tries.timeout)
            wait = tries.wait_after(outcome)
            if wait is None:
                return outcome
            await self.seam.sleep(wait)

    async def published_key(self, kid: str) -> ec.EllipticCurvePublicKey | None:
        """Returns a published key, or None if the service has no such key."""
        if (key := self._keys.fresh(kid)) is not None:
            return key
        try:
            await self._fetch_keys()
        except KeysUnavailableError:
            if (key := self._keys.stale(kid)) is not None:
                return key
            raise
        return self._keys.fetched(kid)

    async def time(self) -> float:
        """Returns the service's time in seconds since 1970. If it is not known yet, this call requests it."""
        if not self.clock.known:
            try:
                await self._fetch_keys()
            except KeysUnavailableError as error:
                # Some servers are not allowed to make outgoing requests. They can only use their own clock.
                log.warning("the service's time is not known: %s", error)
        return self.clock.now()

    async def _fetch_keys(self) -> None:
        """Fetches the keys, or joins a fetch in progress. The fetch continues if the caller is cancelled."""
        # A fetch from another event loop cannot be awaited in this one.
        running = asyncio.get_running_loop()
        if self._fetching is None or self._fetching.done() or self._fetching.get_loop() is not running:
            self._fetching = asyncio.create_task(self._fetch_keys_once())
            # If all callers are gone, nothing retrieves the error, and asyncio would complain.
            self._fetching.add_done_callback(lambda task: task.cancelled() or task.exception())
        await asyncio.shield(self._fetching)

    async def _fetch_keys_once(self) -> None:
        request = self._keys.begin_fetch()
        self._keys.end_fetch(await self.exchange(request, self._keys_limits), self.address)
