"""Runs actions in stores and verifies that the stores ran them, once for threads and once for asyncio."""

import inspect
from collections.abc import Callable
from typing import Any

from .errors import CountersignError
from .store import Acceptance, AsyncStore, Store


def finished(value: Any) -> Any:
    """Returns the value of a callback or a store.

    Raises if the value has to be awaited, which a thread cannot do.
    """
    if inspect.iscoroutine(value):
        value.close()
    if inspect.isawaitable(value):
        raise TypeError("Countersign calls no async functions: use AsyncCountersign")
    return value


async def finish(value: Any) -> Any:
    """Returns the value of a callback or a store, which may or may not be asynchronous."""
    return await value if inspect.isawaitable(value) else value


def remember(
    store: Store, id: str, ttl_seconds: int, act: Callable[..., Any] | None = None, *words: Any
) -> None:
    """Has a store remember an id. If the id is new, `act(*words)` runs in the same transaction."""
    results: list[Any] = []

    def run() -> None:
        results.append(finished(act(*words)) if act else None)

    _check_remembered(finished(store.remember(id, ttl_seconds, run)), results)


async def remember_async(
    store: AsyncStore, id: str, ttl_seconds: int, act: Callable[..., Any] | None = None, *words: Any
) -> None:
    """Has a store remember an id; see `remember`."""
    results: list[Any] = []

    async def run() -> None:
        results.append(await finish(act(*words)) if act else None)

    _check_remembered(await finish(store.remember(id, ttl_seconds, run)), results)


def accept(store: Store, id: str, act: Callable[..., Any] | None, *words: Any) -> tuple[Acceptance, Any]:
    """Has a store accept an id, with `act(*words)` in the same transaction. Returns what both return."""
    results: list[Any] = []

    def run() -> None:
        results.append(finished(act(*words)) if act else None)

    return _accepted(finished(store.accept(id, run)), results)


async def accept_async(
    store: AsyncStore, id: str, act: Callable[..., Any] | None, *words: Any
) -> tuple[Acceptance, Any]:
    """Has a store accept an id; see `accept`."""
    results: list[Any] = []

    async def run() -> None:
        results.append(await finish(act(*words)) if act else None)

    return _accepted(await finish(store.accept(id, run)), results)


def _check_remembered(is_new: Any, results: list[Any]) -> None:
    if not isinstance(is_new, bool):
        raise CountersignError("store.remember has to return whether the id is new, after it has run its act")
    if is_new and not results:
        raise CountersignError(
            "the store said that an id is remembered, but its act has not ended: await it in remember"
        )


def _accepted(acceptance: Acceptance, results: list[Any]) -> tuple[Acceptance, Any]:
    if acceptance == "accepted" and not results:
        raise CountersignError(
            "the store said that an id is accepted, but its act has not ended: await it in accept"
        )
    # A store may have retried, in which case it kept the last attempt.
    return acceptance, results[-1] if results else None
