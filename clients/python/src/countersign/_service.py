"""The service as flows see it: requests with their repetitions, and its time."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ._clock import Clock, Seam
from ._flow import AnyDriver, Flow
from ._requests import Outcome, Request, judge, retry_wait
from ._transport import AsyncTransport, Transport


class Service:
    def __init__(
        self, driver: AnyDriver, transport: Transport | AsyncTransport, seam: Seam, headers: Mapping[str, str]
    ) -> None:
        self.driver = driver
        self.transport = transport
        self.seam = seam
        self.clock = Clock(seam)
        self._headers = headers

    def call(self, request: Request) -> Flow[Any]:
        """Sends a request with the API key, and returns the JSON of the answer."""
        keyed = replace(request, headers={**self._headers, **request.headers})
        return judge((yield from self.exchange(keyed)))

    def exchange(self, request: Request) -> Flow[Outcome]:
        """Sends a request, again where that is safe and may help, and returns the last outcome."""
        tries = 0
        while True:
            outcome: Outcome = yield lambda: self.transport.send(request)
            tries += 1
            if not isinstance(outcome, Exception):
                self.clock.learn(outcome.headers, outcome.body)
            wait = retry_wait(request.repeat, tries, outcome, self.seam.random())
            if wait is None:
                return outcome
            pause = wait
            yield lambda: self.seam.sleep(pause)
