"""A store in Redis, with the client `redis`. If the process dies while it acts, it may act again a minute later.

So make what `act` does harmless to repeat, or use SQL, where the effects and the mark are one transaction.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from countersign.store import Acceptance


class RedisStore:
    def __init__(self, redis: Any) -> None:
        self._redis = redis

    def remember(self, id: str, ttl_seconds: int, act: Callable[[], None]) -> bool:
        with self._alone(id):
            if self._redis.get(f"countersign:{id}") is not None:
                return False
            act()
            self._redis.set(f"countersign:{id}", "pending", ex=ttl_seconds)
            return True

    def accept(self, id: str, act: Callable[[], None]) -> Acceptance:
        with self._alone(id):
            state = self._redis.get(f"countersign:{id}")
            if state is None:
                return "unknown"
            if state == b"accepted":
                return "repeated"
            act()
            self._redis.set(f"countersign:{id}", "accepted", keepttl=True)
            return "accepted"

    @contextmanager
    def _alone(self, id: str) -> Iterator[None]:
        # The error makes the service send the webhook again, after the other process has succeeded or failed.
        if not self._redis.set(f"countersign:acting:{id}", "1", ex=60, nx=True):
            raise RuntimeError("another process acts on it just now")
        try:
            yield
        finally:
            self._redis.delete(f"countersign:acting:{id}")
