"""Limits of starts."""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from limits.aio.storage import MemoryStorage as AsyncMemoryStorage
from limits.storage import MemoryStorage

from countersign.limits import (
    AsyncStartLimiter,
    Limit,
    StartLimiter,
    StartRefusal,
    address_value,
    key_of,
    number_value,
)

VECTORS = json.loads((Path(__file__).parents[2] / "vectors.json").read_text(encoding="utf-8"))["limits"]
ZOE = {"browser": "zoe's session", "address": "203.0.113.7"}


class Shop:
    """A server with a limiter, and a clock."""

    def __init__(self, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_800_000_000.0
        monkeypatch.setattr(time, "time", lambda: self.now)
        self._runner = asyncio.Runner() if kind == "async" else None

    def limiter(self, **options: Any) -> Any:
        return self.run(lambda: (AsyncStartLimiter if self._runner else StartLimiter)(**options))

    def storage(self) -> Any:
        return self.run(lambda: (AsyncMemoryStorage if self._runner else MemoryStorage)())

    def take(self, limiter: Any, **start: Any) -> Any:
        return self.run(lambda: limiter.take(**{**ZOE, **start}))

    def run(self, call: Callable[[], Any]) -> Any:
        if self._runner is None:
            return call()

        async def awaited() -> Any:
            value = call()
            return await value if asyncio.iscoroutine(value) else value

        return self._runner.run(awaited())

    def close(self) -> None:
        if self._runner:
            self._runner.close()


@pytest.fixture(params=["sync", "async"])
def shop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    shop = Shop(request.param, monkeypatch)
    yield shop
    shop.close()


@pytest.mark.parametrize("case", VECTORS["addresses"], ids=lambda case: case["address"] or "empty")
def test_addresses(case: dict[str, Any]) -> None:
    if case["value"] is None:
        with pytest.raises(ValueError):
            address_value(case["address"])
    else:
        assert address_value(case["address"]) == case["value"]


@pytest.mark.parametrize("case", VECTORS["numbers"], ids=lambda case: case["number"] or "empty")
def test_numbers(case: dict[str, Any]) -> None:
    assert number_value(case["number"]) == case["value"]


@pytest.mark.parametrize("case", VECTORS["keys"], ids=lambda case: case["value"])
def test_keys(case: dict[str, Any]) -> None:
    assert key_of(case["kind"], case["value"]) == case["key"]


def test_browser_starts_five_times_in_ten_minutes(shop: Shop) -> None:
    limiter = shop.limiter()
    assert [shop.take(limiter) for _ in range(5)] == [None] * 5
    shop.now += 100.5
    assert shop.take(limiter) == StartRefusal("browser", 500)
    assert shop.take(limiter, browser="another") is None
    shop.now += 499.4
    assert shop.take(limiter) == StartRefusal("browser", 1)
    shop.now += 0.2
    assert shop.take(limiter) is None


def test_address_starts_thirty_times_in_ten_minutes(shop: Shop) -> None:
    limiter = shop.limiter()
    starts = [shop.take(limiter, browser=str(at), address=f"2001:db8:0:1::{at}") for at in range(30)]
    assert starts == [None] * 30
    assert shop.take(limiter, browser="30", address="2001:db8:0:1:ffff::") == StartRefusal("address", 600)
    assert shop.take(limiter, browser="31", address="2001:db8:0:2::1") is None


def test_number_starts_five_times_in_an_hour(shop: Shop) -> None:
    limiter = shop.limiter()
    spellings = ["+49 170 12345678", "0170 12345678", "0049 (170) 1234-5678", "٠١٧٠ ١٢٣٤٥٦٧٨", "17012345678"]
    starts = [shop.take(limiter, browser=str(at), phone_number=number) for at, number in enumerate(spellings)]
    assert starts == [None] * 5
    refused = shop.take(limiter, browser="5", phone_number="+4917012345678")
    assert refused == StartRefusal("number", 3600)
    assert shop.take(limiter, browser="5", phone_number="+4917012345679") is None
    # Texts without digits are not numbers, and do not share a limit.
    assert [shop.take(limiter, browser=f"b{at}", phone_number="call me") for at in range(6)] == [None] * 6


def test_refused_start_does_not_count_for_the_other_limits(shop: Shop) -> None:
    limiter = shop.limiter(per_browser=Limit(100, 60), per_address=Limit(3, 60), per_number=Limit(2, 60))
    for _ in range(2):
        assert shop.take(limiter, phone_number="+12025550100") is None
    for _ in range(9):
        assert shop.take(limiter, phone_number="+12025550100") == StartRefusal("number", 60)
    assert shop.take(limiter, phone_number="+12025550111") is None
    assert shop.take(limiter, phone_number="+12025550111") == StartRefusal("address", 60)


def test_processes_share_a_storage(shop: Shop) -> None:
    storage = shop.storage()
    one, other = (shop.limiter(storage=storage, per_browser=Limit(2, 60)) for _ in range(2))
    assert [shop.take(one), shop.take(other)] == [None, None]
    assert shop.take(one) == shop.take(other) == StartRefusal("browser", 60)
    assert shop.take(shop.limiter()) is None


def test_storage_holds_no_addresses_and_no_numbers(shop: Shop) -> None:
    storage = shop.storage()
    shop.take(shop.limiter(storage=storage), phone_number="+12025550100")
    kept = " ".join(storage.storage)
    assert kept.count("countersign/") == 3
    for secret in ("203.0.113", "2025550100", "025550100", "zoe"):
        assert secret not in kept


def test_start_that_comes_between_is_refused_by_the_storage(shop: Shop) -> None:
    storage = shop.storage()
    limiter = shop.limiter(storage=storage, per_number=Limit(1, 60))

    async def later(*_words: Any) -> bool:
        return True

    limiter._counter.test = later if shop._runner else lambda *_words: True
    assert shop.take(limiter, phone_number="+12025550100") is None
    assert shop.take(limiter, phone_number="+12025550100") == StartRefusal("number", 60)


def test_threads_take_no_more_than_the_limit() -> None:
    limiter = StartLimiter(per_address=Limit(20, 60), per_browser=Limit(1, 60))
    with ThreadPoolExecutor(16) as pool:
        starts = [pool.submit(limiter.take, browser=str(at % 40), address="192.0.2.1") for at in range(400)]
    assert [start.result() for start in starts].count(None) == 20


def test_start_of_another_thread_does_not_come_between() -> None:
    limiter = StartLimiter(per_address=Limit(2, 60), per_number=Limit(1, 60))
    both_asked = threading.Barrier(2, timeout=1)
    test = limiter._counter.test

    def ask_together(*words: Any) -> bool:
        answer = test(*words)
        try:
            both_asked.wait()
        except threading.BrokenBarrierError:
            pass  # The other thread waits for this one.
        return answer

    limiter._counter.test = ask_together  # type: ignore[method-assign]
    start = {"address": "192.0.2.1", "phone_number": "+12025550100"}
    with ThreadPoolExecutor(2) as pool:
        starts = [pool.submit(limiter.take, browser=str(at), **start) for at in range(2)]
    assert sorted(str(one.result() and one.result().limit) for one in starts) == ["None", "number"]
    # The refused one has not counted against the address.
    assert limiter.take(browser="2", address="192.0.2.1") is None


def test_tasks_take_no_more_than_the_limit() -> None:
    async def start() -> list[Any]:
        limiter = AsyncStartLimiter(per_address=Limit(20, 60), per_browser=Limit(1, 60))
        takes = (limiter.take(browser=str(at % 40), address="192.0.2.1") for at in range(400))
        return await asyncio.gather(*takes)

    assert asyncio.run(start()).count(None) == 20


@pytest.mark.parametrize(
    "options",
    [
        {"per_browser": None},
        {"per_browser": 5},
        {"per_address": (5, 60)},
        {"per_number": Limit(0, 60)},
        {"per_number": Limit(5, 0)},
        {"per_number": Limit(2.5, 60)},  # type: ignore[arg-type]
        {"per_number": Limit(True, 60)},
        {"per_number": Limit("5", 60)},  # type: ignore[arg-type]
        {"storage": None},
        {"storage": "redis://localhost"},
        {"perBrowser": Limit(5, 60)},
    ],
)
def test_wrong_options_are_refused(shop: Shop, options: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        shop.limiter(**options)


def test_storage_of_the_other_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"limits\.storage\.Storage"):
        StartLimiter(storage=AsyncMemoryStorage())
    with pytest.raises(ValueError, match=r"limits\.aio\.storage\.Storage"):
        AsyncStartLimiter(storage=MemoryStorage())


@pytest.mark.parametrize(
    "start",
    [
        {"browser": None},
        {"browser": ""},
        {"browser": 7},
        {"address": None},
        {"address": ""},
        {"address": "unknown"},
    ]
    + [{"phone_number": 7}, {"phone_number": b"7"}],
)
def test_wrong_arguments_are_refused_and_count_nothing(shop: Shop, start: dict[str, Any]) -> None:
    limiter = shop.limiter(per_browser=Limit(1, 60), per_address=Limit(1, 60))
    with pytest.raises(ValueError):
        shop.take(limiter, **start)
    assert shop.take(limiter) is None


def test_missing_library_is_reported() -> None:
    program = "import sys; sys.modules['limits'] = None; import countersign.limits"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert "countersign-server[limits]" in done.stderr
