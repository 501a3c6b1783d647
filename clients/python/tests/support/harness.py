"""Runs the same tests with both clients. An asynchronous one looks as if it were synchronous."""

import asyncio
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import NoneType
from typing import Any

import countersign
from countersign import KnownKey, handlers, testing


class World:
    """Time, chance and waiting under a test's control."""

    def __init__(self, asynchronous: bool) -> None:
        self.time = 1_800_000_000.0
        self.monotonic = 1000.0
        self.chance = 0.0
        self.waits: list[float] = []
        self._asynchronous = asynchronous

    def advance(self, seconds: float) -> None:
        self.time += seconds
        self.monotonic += seconds

    def install(self, seam: Any) -> None:
        seam.time = lambda: self.time
        seam.monotonic = lambda: self.monotonic
        seam.random = lambda: self.chance
        seam.sleep = self._pause_async if self._asynchronous else self._pause

    def _pause(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.advance(seconds)

    async def _pause_async(self, seconds: float) -> None:
        self._pause(seconds)


class Blocking:
    """An object whose asynchronous methods are run to their end."""

    def __init__(self, target: Any, runner: asyncio.Runner) -> None:
        self._target = target
        self._runner = runner

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        is_data = name.startswith("_") or isinstance(value, (str, dict, KnownKey, NoneType))
        return value if is_data else Blocking(value, self._runner)

    def __call__(self, *words: Any, **named: Any) -> Any:
        value = self._target(*words, **named)
        if inspect.iscoroutine(value):
            return self._runner.run(value)
        if inspect.isasyncgen(value):
            return self._runner.run(_collect(value))
        return value


async def _collect(values: Any) -> list[Any]:
    return [value async for value in values]


class Harness:
    """Makes clients of one kind."""

    def __init__(self, kind: str) -> None:
        self.asynchronous = kind == "async"
        self.world = World(self.asynchronous)
        self._runner = asyncio.Runner() if self.asynchronous else None
        self._clients: list[Any] = []

    def client(self, url: str, *, real_time: bool = False, **options: Any) -> Any:
        """Returns a client whose time is `world`, or the real one. It verifies webhooks by the published keys,
        unless it has a secret."""
        keys = {} if "webhook_secret" in options else {"webhook_keys": "published"}
        client = self.plain(url, **{"app_key": "cs_app_test", **keys, **options})
        if not real_time:
            self.world.install(self.raw(client)._seam)
        return client

    def plain(self, url: str, **options: Any) -> Any:
        """Returns a client with these options."""
        kind = countersign.AsyncCountersign if self.asynchronous else countersign.Countersign
        return self.wrap(self.keep(kind(url=url, **{"api_key": "cs_live_secret", **options})))

    def keep(self, client: Any) -> Any:
        """Closes a client at the end of the test."""
        self._clients.append(client)
        return client

    def wrap(self, target: Any) -> Any:
        return Blocking(target, self._runner) if self._runner else target

    def raw(self, client: Any) -> Any:
        return client._target if isinstance(client, Blocking) else client

    def webhook_handler(self, client: Any, **callbacks: Any) -> Any:
        kind = handlers.AsyncWebhookHandler if self.asynchronous else handlers.WebhookHandler
        return self.wrap(kind(self.raw(client), **callbacks))

    def login_handler(self, client: Any, **options: Any) -> Any:
        kind = handlers.AsyncLoginHandler if self.asynchronous else handlers.LoginHandler
        return self.wrap(kind(self.raw(client), **options))

    def phone(self, client: Any, **options: Any) -> Any:
        kind = testing.AsyncTestPhone if self.asynchronous else testing.TestPhone
        return self.wrap(kind(self.raw(client), **options))

    def memory_store(self) -> Any:
        return self.wrap(countersign.AsyncMemoryStore() if self.asynchronous else countersign.MemoryStore())

    def callback(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the function as a callback of this kind."""
        if not self.asynchronous:
            return function

        async def callback(*words: Any) -> Any:
            return function(*words)

        return callback

    def together(self, target: Any, calls: list[Callable[[Any], Any]]) -> list[Any]:
        """Makes calls with the raw object at the same time, and returns results and errors."""
        raw = self.raw(target)
        if self._runner is None:
            with ThreadPoolExecutor(len(calls)) as pool:
                waiting = [pool.submit(call, raw) for call in calls]
                return [one.exception() or one.result() for one in waiting]

        async def all_of_them() -> list[Any]:
            return await asyncio.gather(*(call(raw) for call in calls), return_exceptions=True)

        return self._runner.run(all_of_them())

    def close(self) -> None:
        for client in self._clients:
            if self._runner:
                self._runner.run(client.aclose())
            else:
                client.close()
        if self._runner:
            self._runner.close()
