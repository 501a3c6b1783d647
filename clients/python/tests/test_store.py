"""The stores in memory and in examples/ keep the same rules."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.harness import Harness

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


class Failure(Exception):
    pass


def fail() -> None:
    raise Failure


@pytest.fixture
def store(harness: Harness) -> Any:
    return harness.memory_store()


def test_pending_id_is_accepted_once(store: Any, harness: Harness) -> None:
    acted: list[str] = []
    act = harness.callback(lambda: acted.append("once"))
    assert store.accept("a", act) == "unknown"
    store.remember("a", 60, harness.callback(lambda: None))
    assert store.accept("a", act) == "accepted"
    store.remember("a", 60, harness.callback(lambda: None))
    assert [store.accept("a", act), store.accept("b", act)] == ["repeated", "unknown"]
    assert acted == ["once"]


def test_id_stays_pending_if_the_act_fails(store: Any, harness: Harness) -> None:
    store.remember("a", 60, harness.callback(lambda: None))
    with pytest.raises(Failure):
        store.accept("a", harness.callback(fail))
    assert store.accept("a", harness.callback(lambda: None)) == "accepted"


def test_nothing_is_remembered_if_the_act_fails(store: Any, harness: Harness) -> None:
    acted: list[str] = []
    act = harness.callback(lambda: acted.append("once"))
    with pytest.raises(Failure):
        store.remember("a", 60, harness.callback(fail))
    assert store.accept("a", act) == "unknown"
    assert [store.remember("a", 60, act), store.remember("a", 60, act)] == [True, False]
    assert store.accept("a", harness.callback(lambda: None)) == "accepted"
    assert store.remember("a", 60, act) is False
    assert acted == ["once"]


def test_concurrent_calls_remember_once(store: Any, harness: Harness) -> None:
    acted: list[int] = []
    calls: list[Callable[[Any], Any]] = [
        lambda raw: raw.remember("a", 60, harness.callback(lambda: acted.append(1))) for _ in range(8)
    ]
    assert sorted(harness.together(store, calls)) == [False] * 7 + [True]
    assert len(acted) == 1


def test_ids_are_forgotten_when_their_time_is_over(harness: Harness) -> None:
    store = harness.memory_store()
    entries = harness.raw(store)._entries
    entries.monotonic = lambda: harness.world.monotonic
    act = harness.callback(lambda: None)
    store.remember("short", 60, harness.callback(lambda: None))
    store.remember("long", 600, harness.callback(lambda: None))
    store.accept("long", act)
    harness.world.advance(59)
    store.remember("short", 600, harness.callback(lambda: None))
    harness.world.advance(2)
    assert [store.accept("short", act), store.accept("long", act)] == ["unknown", "repeated"]
    harness.world.advance(600)
    store.remember("other", 60, harness.callback(lambda: None))
    assert list(entries._entries) == ["other"]


def test_concurrent_calls_act_once(store: Any, harness: Harness) -> None:
    acted: list[int] = []
    store.remember("a", 60, harness.callback(lambda: None))
    calls: list[Callable[[Any], Any]] = [
        lambda raw: raw.accept("a", harness.callback(lambda: acted.append(1))) for _ in range(8)
    ]
    results = harness.together(store, calls)
    assert sorted(results) == ["accepted"] + ["repeated"] * 7
    assert len(acted) == 1


def test_other_calls_wait_for_the_one_that_acts() -> None:
    harness = Harness("sync")
    store = harness.memory_store()
    store.remember("a", 60, lambda: None)
    # Two acts can only meet here if they run at the same time. This is the only wait for something that must
    # not happen.
    both = threading.Barrier(2)
    failures = [1]

    def act() -> None:
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(0.3)
            raise AssertionError("two calls acted at the same time")
        if failures:
            failures.pop()
            fail()

    results = harness.together(store, [lambda raw: raw.accept("a", act)] * 3)
    assert sorted(str(result) for result in results) == ["", "accepted", "repeated"]


def load(name: str) -> dict[str, Any]:
    scope: dict[str, Any] = {"__name__": name}
    exec(compile((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"), name, "exec"), scope)
    return scope


def test_sql_store_keeps_the_rules_and_its_transaction() -> None:
    now = [1000.0]
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE users (number TEXT)")
    scope = load("sql_store")
    store = scope["SqlStore"](database, time=lambda: now[0])

    def insert() -> None:
        database.execute("INSERT INTO users VALUES ('+12025550100')")

    def insert_and_fail() -> None:
        insert()
        fail()

    def count() -> int:
        return int(database.execute("SELECT count(*) FROM users").fetchone()[0])

    assert store.accept("a", insert) == "unknown"
    with pytest.raises(Failure):
        store.remember("a", 60, insert_and_fail)
    # The record was rolled back together with the id.
    assert [store.accept("a", insert), count()] == ["unknown", 0]
    store.remember("a", 60, lambda: None)
    with pytest.raises(Failure):
        store.accept("a", insert_and_fail)
    # The effects were rolled back together with the mark.
    assert count() == 0
    assert [store.accept("a", insert), store.accept("a", insert)] == ["accepted", "repeated"]
    store.remember("a", 60, lambda: None)
    assert [store.accept("a", insert), count()] == ["repeated", 1]
    store.remember("b", 60, lambda: None)
    now[0] += 61
    assert store.accept("b", insert) == "unknown"
    store.remember("b", 60, lambda: None)
    assert [store.accept("b", insert), count()] == ["accepted", 2]
    database.close()


class FakeRedis:
    """The commands of Redis that the example uses."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.times: dict[str, int] = {}

    def set(
        self, name: str, value: str, *, ex: int | None = None, nx: bool = False, keepttl: bool = False
    ) -> Any:
        if nx and name in self.values:
            return None
        self.values[name] = value
        if ex is not None:
            self.times[name] = ex
        elif not keepttl:
            self.times.pop(name, None)
        return True

    def get(self, name: str) -> bytes | None:
        value = self.values.get(name)
        return value.encode() if value is not None else None

    def delete(self, name: str) -> int:
        self.times.pop(name, None)
        return 1 if self.values.pop(name, None) is not None else 0


def test_redis_store_keeps_the_rules() -> None:
    redis = FakeRedis()
    store = load("redis_store")["RedisStore"](redis)
    acted: list[str] = []
    assert store.accept("a", fail) == "unknown"
    with pytest.raises(Failure):
        store.remember("a", 60, fail)
    assert store.accept("a", fail) == "unknown"
    store.remember("a", 60, lambda: None)
    with pytest.raises(Failure):
        store.accept("a", fail)
    assert store.accept("a", lambda: acted.append("a")) == "accepted"
    store.remember("a", 60, lambda: None)
    assert store.accept("a", fail) == "repeated"
    assert acted == ["a"]
    assert set(redis.times.values()) == {60} and len(redis.values) == len(redis.times)

    store.remember("b", 60, lambda: None)

    def while_another_acts() -> None:
        # The service retries after an error, so a repeated webhook is not lost.
        with pytest.raises(RuntimeError):
            store.accept("b", fail)

    assert store.accept("b", while_another_acts) == "accepted"
