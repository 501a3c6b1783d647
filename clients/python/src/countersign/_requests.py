"""Requests to the service, what its answers mean, and when a request is repeated. Nothing here does IO."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from .errors import ConnectionError, CountersignError, ProblemError

RETRY_WAITS = (0.5, 1.0)
MAX_RETRY_AFTER = 30
RETRIED_STATUSES = frozenset({429, 500, 502, 503, 504})
TIMEOUT = 10.0


class Repeat(Enum):
    """When a request may be sent again."""

    SAFE = "after any failure that may pass"
    IF_REFUSED = "only if it cannot have been acted on"
    NEVER = "never"


@dataclass(frozen=True)
class Request:
    """A request. Headers with secrets are in `headers`, so it has no `repr`."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Mapping[str, Any] | None = field(default=None, repr=False)
    query: Mapping[str, str] | None = field(default=None, repr=False)
    repeat: Repeat = Repeat.SAFE
    timeout: float = TIMEOUT


class Answer:
    """An answer of the service, with its JSON, or with None if it has none."""

    def __init__(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body: Any = None
        try:
            self.body = json.loads(content)
        except (ValueError, RecursionError):
            pass

    @property
    def retry_after(self) -> int | None:
        """The wait that the service asks for, in seconds."""
        value = self.headers.get("retry-after", "")
        return int(value) if re.fullmatch(r"[0-9]{1,9}", value) else None


class Unanswered(Exception):
    """No answer arrived. `sent` tells whether the request may have reached the service."""

    def __init__(self, reason: str, *, sent: bool) -> None:
        super().__init__(reason)
        self.sent = sent


Outcome = Answer | Unanswered


def judge(outcome: Outcome) -> Any:
    """Returns the JSON of a successful answer, None if it has no body, or raises what went wrong."""
    if isinstance(outcome, Unanswered):
        raise ConnectionError(f"the service did not answer: {outcome}") from outcome.__cause__
    if outcome.status == 204:
        return None
    if 200 <= outcome.status < 300 and isinstance(outcome.body, dict):
        return outcome.body
    raise _error(outcome)


def _error(answer: Answer) -> CountersignError:
    body = answer.body if isinstance(answer.body, dict) else {}

    def text(name: str) -> str | None:
        value = body.get(name)
        return value if isinstance(value, str) else None

    if answer.status < 400 or not isinstance(answer.body, dict):
        what = "with a redirect" if 300 <= answer.status < 400 else f"{answer.status} without JSON"
        reason = f"the service answered {what}"
        return ConnectionError(reason, status=answer.status, retry_after=answer.retry_after)
    return ProblemError(
        answer.status,
        text("code") or f"http_{answer.status}",
        title=text("title"),
        detail=text("detail"),
        field=text("field"),
        request_id=text("requestId"),
        retry_after=answer.retry_after,
    )


def retry_wait(repeat: Repeat, tries: int, outcome: Outcome, chance: float) -> float | None:
    """Returns after how many seconds to send the request again, or None. `chance` is from 0 to 1."""
    if tries > len(RETRY_WAITS) or not _may_repeat(repeat, outcome):
        return None
    if isinstance(outcome, Answer) and outcome.retry_after is not None:
        return float(outcome.retry_after) if outcome.retry_after <= MAX_RETRY_AFTER else None
    wait = RETRY_WAITS[tries - 1]
    return wait + wait * chance / 4


def _may_repeat(repeat: Repeat, outcome: Outcome) -> bool:
    if repeat is Repeat.IF_REFUSED:
        return outcome.status == 429 if isinstance(outcome, Answer) else not outcome.sent
    passing = not isinstance(outcome, Answer) or outcome.status in RETRIED_STATUSES
    return repeat is Repeat.SAFE and passing
