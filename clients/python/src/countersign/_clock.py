"""The service's time, which is correct even if this machine's clock is wrong."""

import random
import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

# The process's clocks must agree to within this time; otherwise, one of them was adjusted.
STEP_SECONDS = 2.0


class Seam:
    """Time, randomness and waiting, which tests replace."""

    def __init__(self, sleep: Callable[[float], Any]) -> None:
        self.sleep = sleep
        self.time: Callable[[], float] = time.time
        self.monotonic: Callable[[], float] = time.monotonic
        self.random: Callable[[], float] = random.random


class Clock:
    """This machine's clock, corrected by the service's answers, which TLS authenticates."""

    def __init__(self, seam: Seam) -> None:
        self._seam = seam
        self._offset = 0.0
        # The difference between the machine's two clocks when the offset was measured.
        self._apart: float | None = None

    @property
    def known(self) -> bool:
        """Whether the offset is known. It is forgotten when the machine's clock is set."""
        return self._apart is not None and abs(self._two_clocks() - self._apart) < STEP_SECONDS

    def now(self) -> float:
        """Returns the service's time in seconds since 1970, or the machine's if that is not known."""
        return self._seam.time() + (self._offset if self.known else 0.0)

    def learn(self, headers: Mapping[str, str], body: Any) -> None:
        """Reads the time from an answer that has just arrived."""
        told = _server_time(body)
        if told is None:
            told = _date(headers)
        if told is not None:
            self._offset, self._apart = told - self._seam.time(), self._two_clocks()

    def _two_clocks(self) -> float:
        return self._seam.time() - self._seam.monotonic()


def _server_time(body: Any) -> float | None:
    try:
        told = datetime.fromisoformat(body["serverTime"])
    except (KeyError, TypeError, ValueError, IndexError):
        return None
    return told.timestamp() if told.tzinfo else None


def _date(headers: Mapping[str, str]) -> float | None:
    try:
        date = parsedate_to_datetime(headers["date"]).timestamp()
        # A cache in between answers with the date of its copy.
        age = headers.get("age", "0")
        return date + (int(age) if re.fullmatch(r"[0-9]{1,9}", age) else 0)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
