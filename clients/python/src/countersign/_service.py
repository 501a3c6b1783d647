"""The service as flows see it: requests with their repetitions, and its time."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ._clock import Clock, Seam
from ._flow import AnyDriver, Flow
from ._requests import TRY_TIMEOUT, Limits, Outcome, Request, judge, retry_after, retry_wait
from ._transport import AsyncTransport, Transport


class Service:
    def __init__(
        self,
        driver: AnyDriver,
        transport: Transport | AsyncTransport,
        seam: Seam,
        headers: Mapping[str, str],
        limits: Limits,
    ) -> None:
        self.driver = driver
        self.transport = transport
        self.seam = seam
        self.limits = limits
        self.clock = Clock(seam)
        self._headers = headers

    def call(self, request: Request, limits: Limits) -> Flow[Any]:
        """Sends a request with the API key, and returns the JSON of the answer."""
        keyed = replace(request, headers={**self._headers, **request.headers})
        outcome = yield from self.exchange(keyed, limits)
        return judge(outcome, self.transport.address, may_be_empty=request.may_be_empty)

    def exchange(self, request: Request, limits: Limits) -> Flow[Outcome]:
        """Sends a request, again where that is safe and may help, and returns the last outcome."""
        end = self.seam.monotonic() + limits.timeout
        tries = 0
        while True:
            left = end - self.seam.monotonic()
            is_last = tries == limits.max_retries
            outcome: Outcome = yield partial(
                self.transport.send, request, left if is_last else min(left, TRY_TIMEOUT)
            )
            tries += 1
            if not isinstance(outcome, Exception):
                self.clock.learn(outcome.headers, outcome.body)
                outcome.retry_after = retry_after(outcome.headers, self.clock.now())
            wait = retry_wait(request.repeat, tries, outcome, self.seam.random())
            if is_last or wait is None or wait >= end - self.seam.monotonic():
                return outcome
            yield partial(self.seam.sleep, wait)
