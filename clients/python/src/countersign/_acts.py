"""Has stores act, and makes sure that they have."""

from typing import Any, TypeAlias

from ._flow import AnyDriver, Flow, Step
from .errors import CountersignError
from .store import AsyncStore, Store

AnyStore: TypeAlias = Store | AsyncStore


def remember_once(
    driver: AnyDriver, store: AnyStore, id: str, ttl_seconds: int, step: Step = lambda: None
) -> Flow[None]:
    """Has a store remember an id, and run a step in the same transaction if the id is new."""
    results: list[Any] = []
    is_new = yield lambda: store.remember(id, ttl_seconds, driver.act(step, results))
    if not isinstance(is_new, bool):
        raise CountersignError("store.remember has to return whether the id is new, after it has run its act")
    if is_new and not results:
        raise CountersignError(
            "the store said that an id is remembered, but its act has not ended: await it in remember"
        )


def check_acted(acceptance: str, results: list[Any]) -> None:
    """Raises if a store has marked an id as accepted without acting, such as one that does not await."""
    if acceptance == "accepted" and not results:
        raise CountersignError(
            "the store said that an id is accepted, but its act has not ended: await it in accept"
        )
