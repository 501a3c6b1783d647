"""Sends one request with httpx: the only IO of this library, once for threads and once for asyncio."""

import asyncio
import time
from typing import Any

import httpx

from ._requests import Answer, Request, Unanswered
from ._version import __version__

HEADERS = {"user-agent": f"countersign-python/{__version__}"}

# A page of 100 confirmations has about 1.5 MB.
MAX_ANSWER = 8 * 1024 * 1024

# Failures before the request was sent.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


def _arguments(base: str, request: Request) -> dict[str, Any]:
    return {
        "method": request.method,
        "url": base + request.path,
        "headers": request.headers,
        "json": request.body,
        "params": request.query,
        "timeout": request.timeout,
        "follow_redirects": False,
    }


def _unanswered(cause: Exception) -> Unanswered:
    # Not the cause's text, which may quote the request.
    unanswered = Unanswered(type(cause).__name__, sent=not isinstance(cause, _NOT_SENT))
    unanswered.__cause__ = cause
    return unanswered


class Transport:
    def __init__(self, base: str) -> None:
        self._base = base
        self._http = httpx.Client(headers=HEADERS)

    def send(self, request: Request) -> Answer | Unanswered:
        deadline = time.monotonic() + request.timeout
        try:
            with self._http.stream(**_arguments(self._base, request)) as response:
                content = b""
                for chunk in response.iter_bytes():
                    content += chunk
                    # httpx limits the wait for each chunk alone.
                    if time.monotonic() > deadline or len(content) > MAX_ANSWER:
                        return Unanswered("the answer is too slow or too large", sent=True)
                return Answer(response.status_code, response.headers, content)
        except (httpx.HTTPError, httpx.StreamError) as cause:
            return _unanswered(cause)

    def close(self) -> None:
        self._http.close()


class AsyncTransport:
    def __init__(self, base: str) -> None:
        self._base = base
        self._http = httpx.AsyncClient(headers=HEADERS)

    async def send(self, request: Request) -> Answer | Unanswered:
        try:
            async with asyncio.timeout(request.timeout):
                async with self._http.stream(**_arguments(self._base, request)) as response:
                    content = b""
                    async for chunk in response.aiter_bytes():
                        content += chunk
                        if len(content) > MAX_ANSWER:
                            return Unanswered("the answer is too large", sent=True)
                    return Answer(response.status_code, response.headers, content)
        except (httpx.HTTPError, httpx.StreamError, TimeoutError) as cause:
            return _unanswered(cause)

    async def close(self) -> None:
        await self._http.aclose()
