"""Limits how often a server's own route starts confirmations, logins or approvals.

It counts with the library `limits`, whose storages (Redis, Valkey, Memcached, MongoDB) several processes can share.
"""

import hashlib
import math
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Any, Literal, TypeAlias

from . import _options as options
from ._identity import base64url
from ._options import UNSET

try:
    from limits import RateLimitItemPerSecond
    from limits.aio.storage import MemoryStorage as AsyncMemoryStorage
    from limits.aio.storage import Storage as AsyncStorage
    from limits.aio.strategies import FixedWindowRateLimiter as AsyncFixedWindow
    from limits.storage import MemoryStorage, Storage
    from limits.strategies import FixedWindowRateLimiter as FixedWindow
except ImportError:
    raise ImportError(
        "countersign.limits needs the library limits: install countersign-server[limits]"
    ) from None

__all__ = ["AsyncStartLimiter", "Limit", "StartLimiter", "StartRefusal"]

# The type that `storage_from_string` returns. The kind is checked when the limiter is created.
AnyStorage: TypeAlias = Storage | AsyncStorage
Kind: TypeAlias = Literal["browser", "address", "number"]

NAMESPACE = "countersign"
# National and international spellings of a number end with the same digits.
NUMBER_DIGITS = 9


@dataclass(frozen=True)
class Limit:
    """At most `limit` starts in this many seconds, which begin with the first of them."""

    limit: int
    seconds: int


@dataclass(frozen=True)
class StartRefusal:
    """The limit that refuses a start. Answer 429, with `Retry-After: {retry_after}`."""

    limit: Kind
    retry_after: int


PER_BROWSER = Limit(5, 10 * 60)
PER_ADDRESS = Limit(30, 10 * 60)
PER_NUMBER = Limit(5, 60 * 60)


class StartLimiter:
    """Limits starts by browser, address and number. Create one per process, and let threads share it.

    `storage` is one of `limits.storage`. **By default that is the memory of this process: with several processes, pass
    a shared one**, such as `storage_from_string("redis://...")`.
    """

    def __init__(
        self,
        *,
        per_browser: Limit = PER_BROWSER,
        per_address: Limit = PER_ADDRESS,
        per_number: Limit = PER_NUMBER,
        storage: AnyStorage = UNSET,
    ) -> None:
        self._items = _items(per_browser, per_address, per_number)
        self._counter = FixedWindow(_storage(storage, Storage, MemoryStorage))
        # Within this process, a start that one limit refuses must not be counted by another limit in the
        # meantime. With shared storage, another process may do that, so threads do not wait for each other.
        self._alone = threading.Lock() if storage is UNSET else nullcontext()

    def take(
        self, *, browser: str, address: str | None, phone_number: str | None = None
    ) -> StartRefusal | None:
        """Counts a start, and returns None if it may continue.

        `browser` identifies the browser, for example by the id of its session. `address` is the visitor's: behind a
        proxy, have the framework read it from the header that the proxy sets. Frameworks may return None, which is
        refused, since it would skip the limit. `phone_number` is as the user typed it. A start that one limit refuses
        does not count against the others.
        """
        keys = list(_keys(browser, address, phone_number))
        with self._alone:
            for kind, key in keys:
                if not self._counter.test(self._items[kind], key):
                    return _refusal(kind, self._counter.get_window_stats(self._items[kind], key).reset_time)
            for kind, key in keys:
                # Another process may have counted a start in between.
                if not self._counter.hit(self._items[kind], key):
                    return _refusal(kind, self._counter.get_window_stats(self._items[kind], key).reset_time)
        return None


class AsyncStartLimiter:
    """A `StartLimiter` for asyncio. `storage` is one of `limits.aio.storage`."""

    def __init__(
        self,
        *,
        per_browser: Limit = PER_BROWSER,
        per_address: Limit = PER_ADDRESS,
        per_number: Limit = PER_NUMBER,
        storage: AnyStorage = UNSET,
    ) -> None:
        self._items = _items(per_browser, per_address, per_number)
        self._counter = AsyncFixedWindow(_storage(storage, AsyncStorage, AsyncMemoryStorage))

    async def take(
        self, *, browser: str, address: str | None, phone_number: str | None = None
    ) -> StartRefusal | None:
        """Counts a start, and returns None if it may continue; see `StartLimiter.take`."""
        keys = list(_keys(browser, address, phone_number))
        for kind, key in keys:
            if not await self._counter.test(self._items[kind], key):
                stats = await self._counter.get_window_stats(self._items[kind], key)
                return _refusal(kind, stats.reset_time)
        for kind, key in keys:
            # Another task or process may have counted a start in between.
            if not await self._counter.hit(self._items[kind], key):
                stats = await self._counter.get_window_stats(self._items[kind], key)
                return _refusal(kind, stats.reset_time)
        return None


def _items(per_browser: Any, per_address: Any, per_number: Any) -> dict[Kind, RateLimitItemPerSecond]:
    return {
        "browser": _item("per_browser", per_browser),
        "address": _item("per_address", per_address),
        "number": _item("per_number", per_number),
    }


def _item(name: str, limit: Any) -> RateLimitItemPerSecond:
    if not isinstance(limit, Limit):
        raise ValueError(f"{name} is not a Limit")
    for member in (limit.limit, limit.seconds):
        if not isinstance(member, int) or isinstance(member, bool) or member < 1:
            raise ValueError(f"{name} is not made of whole numbers from 1")
    return RateLimitItemPerSecond(limit.limit, limit.seconds, namespace=NAMESPACE)


def _storage(given: Any, kind: type[Any], default: Callable[[], Any]) -> Any:
    if given is UNSET:
        return default()
    if not isinstance(given, kind):
        raise ValueError(f"storage is not a {kind.__module__.rpartition('.')[0]}.Storage")
    return given


def _keys(browser: Any, address: Any, phone_number: Any) -> Iterator[tuple[Kind, str]]:
    """Returns the keys to count.

    The keys are hashes, so that a storage contains no numbers and no addresses.
    """
    yield "browser", key_of("browser", options.text("browser", browser))
    yield "address", key_of("address", address_value(address))
    if phone_number is None:
        return
    if not isinstance(phone_number, str):
        raise ValueError("phone_number is not a text")
    digits = number_value(phone_number)
    # The service refuses a text without digits, so it needs no limit.
    if digits is not None:
        yield "number", key_of("number", digits)


def key_of(kind: Kind, value: str) -> str:
    content = b"\0".join((b"countersign/limit/1", kind.encode(), value.encode()))
    return f"{kind}:{base64url(hashlib.sha256(content).digest())}"


def address_value(address: Any) -> str:
    """Returns an IPv4 address unchanged, and an IPv6 address's network, whose addresses all belong to one
    visitor.
    """
    try:
        parsed = ip_address(options.text("address", address).partition("%")[0])
    except ValueError:
        raise ValueError("address is not an IP address") from None
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is None:
            groups = parsed.exploded.split(":")[:4]
            return ":".join(f"{int(group, 16):x}" for group in groups) + "::/64"
        parsed = parsed.ipv4_mapped
    return str(parsed)


def number_value(number: str) -> str | None:
    """Returns the last digits of a number in any script, or None if it has no digits."""
    digits = [unicodedata.decimal(character, None) for character in number]
    found = "".join(str(digit) for digit in digits if digit is not None)
    return found[-NUMBER_DIGITS:] or None


def _refusal(kind: Kind, reset_time: float) -> StartRefusal:
    return StartRefusal(kind, max(1, math.ceil(reset_time - time.time())))
