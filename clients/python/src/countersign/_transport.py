"""Sends one request with httpx: the only IO of this library, once for threads and once for asyncio."""

import asyncio
import ssl
import time
from typing import Any
from urllib.parse import urlsplit

import httpcore
import httpx

from ._deadlines import DeadlineTransport, extensions
from ._requests import Answer, Request, Unanswered
from ._version import __version__

HEADERS = {"user-agent": f"countersign-python/{__version__}"}

# A page of 100 confirmations has about 1.5 MB.
MAX_ANSWER = 8 * 1024 * 1024

# Errors before the request was sent. The caller's client raises errors of httpx, and ours those of httpcore.
_NOT_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpcore.ConnectError,
    httpcore.ConnectTimeout,
    httpcore.PoolTimeout,
    httpcore.ProxyError,
)
_FAILURES = (
    httpx.HTTPError,
    httpx.StreamError,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.TimeoutException,
    httpcore.UnsupportedProtocol,
)


def _arguments(base: str, request: Request) -> dict[str, Any]:
    return {
        "method": request.method,
        "url": base + request.path,
        "headers": {**HEADERS, **request.headers},
        "json": request.body,
        "params": request.query,
        "follow_redirects": False,
    }


def _address(base: str) -> str:
    """Returns the URL without its path, for error messages."""
    parts = urlsplit(base)
    return f"{parts.scheme}://{parts.netloc}"


def _unanswered(cause: Exception) -> Unanswered:
    # The text omits the cause's, which may quote the request.
    unanswered = Unanswered(type(cause).__name__, sent=not isinstance(cause, _NOT_SENT))
    unanswered.__cause__ = cause
    return unanswered


class Transport:
    def __init__(self, base: str, client: httpx.Client | None = None) -> None:
        self.address = _address(base)
        self._base = base
        self._http = httpx.Client(transport=DeadlineTransport(base)) if client is None else client
        self._is_own = client is None

    def send(self, request: Request, timeout: float) -> Answer | Unanswered:
        deadline = time.monotonic() + timeout
        limit = {"extensions": extensions(timeout)} if self._is_own else {"timeout": timeout}
        try:
            with self._http.stream(**_arguments(self._base, request), **limit) as response:
                content = b""
                for chunk in response.iter_bytes():
                    content += chunk
                    # A caller's client only limits the wait for each chunk, and a busy machine may exceed our
                    # limit.
                    if time.monotonic() > deadline:
                        return Unanswered("ReadTimeout", sent=True)
                    if len(content) > MAX_ANSWER:
                        return Unanswered("the answer is too large", sent=True)
                return Answer(response.status_code, response.headers, content)
        except _FAILURES as cause:
            return _unanswered(cause)

    def close(self) -> None:
        if self._is_own:
            self._http.close()


class AsyncTransport:
    """Keeps separate connections for each event loop, since another loop cannot use them."""

    def __init__(self, base: str, client: httpx.AsyncClient | None = None) -> None:
        self.address = _address(base)
        self._base = base
        self._given = client
        self._own: dict[asyncio.AbstractEventLoop, httpx.AsyncClient] = {}
        self._tls: ssl.SSLContext | None = None

    async def send(self, request: Request, timeout: float) -> Answer | Unanswered:
        try:
            async with asyncio.timeout(timeout):
                async with self._client().stream(
                    **_arguments(self._base, request), timeout=timeout
                ) as response:
                    content = b""
                    async for chunk in response.aiter_bytes():
                        content += chunk
                        if len(content) > MAX_ANSWER:
                            return Unanswered("the answer is too large", sent=True)
                    return Answer(response.status_code, response.headers, content)
        except (httpx.HTTPError, httpx.StreamError, TimeoutError) as cause:
            return _unanswered(cause)

    def _client(self) -> httpx.AsyncClient:
        if self._given is not None:
            return self._given
        loop = asyncio.get_running_loop()
        client = self._own.get(loop)
        if client is None:
            # Connections of an event loop that has ended can no longer be closed.
            self._own = {known: client for known, client in self._own.items() if not known.is_closed()}
            self._tls = self._tls or httpx.create_ssl_context()
            client = self._own[loop] = httpx.AsyncClient(verify=self._tls)
        return client

    async def close(self) -> None:
        client = self._own.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()
