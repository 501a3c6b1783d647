"""An httpx transport whose requests end at a deadline, whatever the service sends.

httpx limits each wait for bytes, so a service that sends a byte now and then could keep a call open forever.
Here, a request's timeouts are times of the monotonic clock, and each wait may take the time that remains
until then.
"""

import socket
import time
import urllib.request
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

import httpcore
import httpx


def extensions(seconds: float) -> dict[str, Any]:
    """Returns the extensions of a request with this time limit."""
    deadline = time.monotonic() + seconds
    return {"timeout": {"connect": deadline, "read": deadline, "write": deadline, "pool": seconds}}


def _left(deadline: float | None, error: type[Exception]) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise error()
    return left


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = _left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Network(httpcore.NetworkBackend):
    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        failure: Exception = httpcore.ConnectError("the name has no address")
        # Without this, the socket would use the whole timeout for each address.
        for address in _addresses(host, port):
            left = _left(timeout, httpcore.ConnectTimeout)
            try:
                return _Stream(self._inner.connect_tcp(address, port, left, local_address, socket_options))
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def _addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpcore.ConnectError(str(error)) from error
    return [str(address[0]) for *_, address in found]


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        yield from self._stream

    def close(self) -> None:
        self._stream.close()


class DeadlineTransport(httpx.BaseTransport):
    """Sends requests to one service, through the environment's proxy for it."""

    def __init__(self, base: str) -> None:
        options: dict[str, Any] = {
            "ssl_context": httpx.create_ssl_context(),
            "max_connections": 100,
            "max_keepalive_connections": 20,
            "keepalive_expiry": 5.0,
            "network_backend": _Network(),
        }
        proxy = _proxy(base)
        if proxy is None:
            self._pool = httpcore.ConnectionPool(**options)
            return
        parts = urlsplit(proxy)
        auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
        kind = httpcore.SOCKSProxy if parts.scheme.startswith("socks") else httpcore.HTTPProxy
        address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        self._pool = kind(proxy_url=address, proxy_auth=auth, **options)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        answer = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=url,
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(answer.stream),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        self._pool.close()


def _proxy(base: str) -> str | None:
    """Returns the environment's proxy for a URL."""
    parts = urlsplit(base)
    proxies = urllib.request.getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or urllib.request.proxy_bypass(parts.hostname or ""):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"
