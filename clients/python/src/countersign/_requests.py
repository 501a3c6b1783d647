"""Requests to the service, what its answers mean, and when a request is repeated. Nothing here does IO."""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any, Generic, TypeVar

from ._clock import Clock, Seam
from ._options import seconds
from .errors import APIConnectionError, CountersignError, ProblemError

T = TypeVar("T")

FIRST_WAIT = 0.5
MAX_WAIT = 8.0
MAX_RETRY_AFTER = 2**31 - 1
RETRIED_STATUSES = frozenset({429, 500, 502, 503, 504})
# Limit for every attempt except the last one, which may use all the remaining time.
TRY_TIMEOUT = 10.0
MAX_RETRIES = 10
HTTP_DATE = re.compile(r"[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT", re.ASCII)


class Repeat(Enum):
    """When a request may be sent again."""

    SAFE = "after any failure that may pass"
    IF_REFUSED = "only if it cannot have been acted on"
    NEVER = "never"


@dataclass(frozen=True)
class Limits:
    """The seconds that a call takes at most, with all tries and waits, and how often it is tried again."""

    timeout: float
    max_retries: int

    def __post_init__(self) -> None:
        seconds("timeout", self.timeout)
        whole = isinstance(self.max_retries, int) and not isinstance(self.max_retries, bool)
        if not whole or not 0 <= self.max_retries <= MAX_RETRIES:
            raise ValueError(f"max_retries is not a whole number from 0 to {MAX_RETRIES}")

    def of_call(self, timeout: float | None, max_retries: int | None) -> "Limits":
        """Returns the limits of a call, which take precedence over the client's."""
        return Limits(
            self.timeout if timeout is None else timeout,
            self.max_retries if max_retries is None else max_retries,
        )


@dataclass(frozen=True)
class Request:
    """A request. Headers with secrets are in `headers`, so it has no `repr`."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Mapping[str, Any] | None = field(default=None, repr=False)
    query: Mapping[str, str] | None = field(default=None, repr=False)
    repeat: Repeat = Repeat.SAFE
    # Whether 204 is a valid answer.
    may_be_empty: bool = False


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request with the API key, and the function that reads the JSON of its answer."""

    request: Request
    read: Callable[[Any], T]


class Answer:
    """An answer of the service, with its JSON, or None without JSON."""

    def __init__(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body: Any = None
        # The wait that the service asks for, in seconds. The caller knows how much time is left.
        self.retry_after: int | None = None
        try:
            self.body = json.loads(content)
        except (ValueError, RecursionError):
            pass


class Unanswered(Exception):
    """No answer arrived. `sent` tells whether the request may have reached the service."""

    def __init__(self, reason: str, *, sent: bool) -> None:
        super().__init__(reason)
        self.sent = sent


Outcome = Answer | Unanswered


def judge(outcome: Outcome, address: str, *, may_be_empty: bool = False) -> Any:
    """Returns the JSON of a successful answer, None if it has no body, or raises what went wrong."""
    if isinstance(outcome, Unanswered):
        raise APIConnectionError(f"the service at {address} did not answer: {outcome}") from outcome.__cause__
    if outcome.status == 204 and may_be_empty:
        return None
    if 200 <= outcome.status < 300 and isinstance(outcome.body, dict):
        return outcome.body
    raise _error(outcome, address)


def lacking(member: str) -> APIConnectionError:
    return APIConnectionError(f"the answer of the service has no {member}", status=200)


def _error(answer: Answer, address: str) -> CountersignError:
    body = answer.body if isinstance(answer.body, dict) else {}

    def text(name: str) -> str | None:
        value = body.get(name)
        return value if isinstance(value, str) else None

    if answer.status < 400 or not isinstance(answer.body, dict):
        what = "with a redirect" if 300 <= answer.status < 400 else f"{answer.status} without JSON"
        reason = f"the service at {address} answered {what}"
        return APIConnectionError(reason, status=answer.status, retry_after=answer.retry_after)
    return ProblemError(
        answer.status,
        text("code") or f"http_{answer.status}",
        title=text("title"),
        detail=text("detail"),
        field=text("field"),
        request_id=text("requestId"),
        retry_after=answer.retry_after,
    )


def retry_after(headers: Mapping[str, str], now: float) -> int | None:
    """Returns the seconds of `Retry-After`, which may also be a date. `now` is for answers without a date."""
    value = headers.get("retry-after", "")
    if re.fullmatch(r"[0-9]+", value):
        # Before `int`, which refuses very long texts.
        return MAX_RETRY_AFTER if len(value) > 10 else min(int(value), MAX_RETRY_AFTER)
    until = _date(value)
    if until is None:
        return None
    date = _date(headers.get("date", ""))
    return max(0, math.ceil(until - (now if date is None else date)))


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() if HTTP_DATE.fullmatch(text) else None
    except (TypeError, ValueError, OverflowError):
        return None


class Tries:
    """The tries of one request: how long each may take, and when the next one follows."""

    def __init__(self, request: Request, limits: Limits, seam: Seam, clock: Clock) -> None:
        self._repeat = request.repeat
        self._max_retries = limits.max_retries
        self._seam = seam
        self._clock = clock
        self._end = seam.monotonic() + limits.timeout
        self._made = 0

    @property
    def timeout(self) -> float:
        """The seconds that the next try may take."""
        return self._left if self._made == self._max_retries else min(self._left, TRY_TIMEOUT)

    def wait_after(self, outcome: Outcome) -> float | None:
        """Returns after how many seconds another try follows, or None if the outcome is the last one."""
        if isinstance(outcome, Answer):
            self._clock.learn(outcome.headers, outcome.body)
            outcome.retry_after = retry_after(outcome.headers, self._clock.now())
        self._made += 1
        if self._made > self._max_retries or not _may_repeat(self._repeat, outcome):
            return None
        wait = self._wait(outcome)
        return wait if wait < self._left else None

    @property
    def _left(self) -> float:
        return self._end - self._seam.monotonic()

    def _wait(self, outcome: Outcome) -> float:
        if isinstance(outcome, Answer) and outcome.retry_after:
            return float(outcome.retry_after)
        wait = min(FIRST_WAIT * 2.0 ** (self._made - 1), MAX_WAIT)
        return wait + wait * self._seam.random() / 4


def _may_repeat(repeat: Repeat, outcome: Outcome) -> bool:
    if repeat is Repeat.IF_REFUSED:
        return outcome.status == 429 if isinstance(outcome, Answer) else not outcome.sent
    passing = not isinstance(outcome, Answer) or outcome.status in RETRIED_STATUSES
    return repeat is Repeat.SAFE and passing
