"""Flows: what both clients do, written once, without IO.

A flow is a generator. It yields steps, which are functions without arguments, and gets back what they return.
The two drivers differ in one thing: the asynchronous one awaits what a step returns.
"""

import asyncio
import inspect
import threading
from collections.abc import Callable, Generator
from typing import Any, TypeAlias, TypeVar, cast

T = TypeVar("T")

Step: TypeAlias = Callable[[], Any]
Flow: TypeAlias = Generator[Step, Any, T]


class Driver:
    """Runs flows in the calling thread."""

    def __init__(self) -> None:
        self._alone = threading.Lock()

    def run(self, flow: Flow[T]) -> T:
        try:
            step = next(flow)
            while True:
                try:
                    value = finished(step())
                except Exception as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(value)
        except StopIteration as done:
            return cast(T, done.value)

    def share(self, flow: Callable[[], Flow[T]]) -> T:
        """Runs a flow while no other thread does. It has to look whether another one did its work."""
        with self._alone:
            return self.run(flow())

    def act(self, step: Step, results: list[Any]) -> Any:
        """Turns a step into what a store calls. Its result is added to `results`."""
        return lambda: results.append(finished(step()))


def finished(value: Any) -> Any:
    """Returns the value. Raises if it has yet to be awaited, since no caller would."""
    if inspect.iscoroutine(value):
        value.close()
    if inspect.isawaitable(value):
        raise TypeError("Countersign calls no async functions: use AsyncCountersign")
    return value


class AsyncDriver:
    """Runs flows in asyncio. Steps may be asynchronous, and need not be."""

    def __init__(self) -> None:
        self._shared: asyncio.Task[Any] | None = None

    async def run(self, flow: Flow[T]) -> T:
        try:
            step = next(flow)
            while True:
                try:
                    value = await finish(step())
                except Exception as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(value)
        except StopIteration as done:
            return cast(T, done.value)

    async def share(self, flow: Callable[[], Flow[T]]) -> T:
        """Runs a flow, or joins the one that runs. It goes on if the caller is cancelled."""
        # The flow of another loop cannot be awaited in this one.
        running = asyncio.get_running_loop()
        if self._shared is None or self._shared.done() or self._shared.get_loop() is not running:
            self._shared = asyncio.create_task(self.run(flow()))
            # If all callers are gone, the error is not taken, and asyncio would complain.
            self._shared.add_done_callback(lambda task: task.cancelled() or task.exception())
        return cast(T, await asyncio.shield(self._shared))

    def act(self, step: Step, results: list[Any]) -> Any:
        """Turns a step into what a store awaits. Its result is added to `results`."""

        async def act() -> None:
            results.append(await finish(step()))

        return act


async def finish(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


AnyDriver: TypeAlias = Driver | AsyncDriver
