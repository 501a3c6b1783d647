"""Checks options when a client is created and when a handler is mounted.

An unset environment variable must not become a default that checks less: None and empty values are refused, and a
default is an object that callers cannot pass.
"""

import inspect
import re
from collections.abc import Callable, Sequence
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

# The default for options that may be missing. Its type is Any, so that callers see only the types of values.
UNSET: Any = type("Unset", (), {"__repr__": lambda _: "..."})()

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
# Addresses and names inside private networks.
PRIVATE_NETWORKS = [
    ip_network(text)
    for text in (
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "::1/128",
        "fc00::/7",
        "fe80::/10",
    )
]
PRIVATE_NAME = re.compile(r"[\w-]+|.*\.(?:internal|local|localhost|svc|svc\.cluster\.local)", re.ASCII)


def given(name: str, value: Any) -> Any:
    """Returns the value of an option that may be absent, which is then None."""
    if value is UNSET:
        return None
    if value is None or (isinstance(value, str) and not value):
        raise ValueError(
            f"{name} is {'None' if value is None else 'empty'}: give it a value, or leave it out"
        )
    return value


def key(name: str, value: Any) -> Any:
    """Returns a key. Other characters would be refused later, by errors that quote the key."""
    if not isinstance(given(name, value), str) or not re.fullmatch(r"[!-~]+", value):
        raise ValueError(f"{name} has characters that no key has, such as a line feed at its end")
    return value


def text(name: str, value: Any) -> str:
    if not isinstance(given(name, value), str):
        raise ValueError(f"{name} is not a text")
    return str(value)


def seconds(name: str, value: Any, *, zero: bool = False) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not (0 < value < 10**9 or (zero and value == 0)):
        raise ValueError(f"{name} is not a number of seconds")
    return float(value)


def flag(name: str, value: Any) -> bool:
    # A text such as "false" would be true.
    if not isinstance(value, bool):
        raise ValueError(f"{name} is neither True nor False")
    return value


def callback(name: str, value: Any, arguments: int, *, asynchronous: bool) -> Callable[..., Any]:
    """Returns a function that takes this many arguments, and that is asynchronous only if its client is."""
    if not callable(given(name, value)):
        raise ValueError(f"{name} is not a function")
    if not asynchronous and inspect.iscoroutinefunction(value):
        raise ValueError(f"{name} is asynchronous, which only an AsyncCountersign awaits")
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return value  # type: ignore[no-any-return]  # Some functions in C do not tell.
    try:
        signature.bind(*[None] * arguments)
    except TypeError:
        raise ValueError(f"{name} has to take {arguments} argument{'s'[: arguments - 1]}") from None
    return value  # type: ignore[no-any-return]


def optional_callback(name: str, value: Any, *, asynchronous: bool) -> None:
    """Checks a function of one argument that may be absent, which is then None."""
    if value is not None:
        callback(name, value, 1, asynchronous=asynchronous)


def store(value: Any) -> Any:
    for method in ("remember", "accept"):
        if not callable(getattr(given("store", value), method, None)):
            raise ValueError(f"store has no method {method}")
    return value


def origin(value: Any) -> str:
    """Returns the origin of a page. Any other form would match no request."""
    if not isinstance(value, str) or not _is_origin(value):
        raise ValueError("origin is not an origin as browsers send it, such as https://shop.example")
    return value


def _is_origin(text: str) -> bool:
    default_port = {"https": 443, "http": 80}
    try:
        parts = urlsplit(text)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return False
    wanted = f"{parts.scheme}://{host}{port}"
    return (
        parts.scheme in default_port
        and bool(host)
        and text == wanted
        and parts.port != default_port[parts.scheme]
    )


def base_url(url: Any, *, unencrypted: bool) -> str:
    """Returns the URL without trailing slashes.

    Over plain http, anyone on the network path could read the API key and answer with other keys.
    """
    if not isinstance(url, str) or not re.fullmatch(r"[!-~]+", url):
        raise ValueError("url is not a URL")
    parts = urlsplit(url)
    host = parts.hostname or ""
    plain = parts.scheme == "http" and (host in LOOPBACK or (unencrypted and _is_private(host)))
    if parts.scheme != "https" and not plain:
        raise ValueError(
            "url must begin with https://, or name this machine, or a private host with allow_unencrypted_http"
        )
    if not host or parts.username is not None or parts.query or parts.fragment:
        raise ValueError("url must have a host, and no user, query or fragment")
    return url.rstrip("/")


def _is_private(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return PRIVATE_NAME.fullmatch(host) is not None
    return any(address in network for network in PRIVATE_NETWORKS)


def secrets(value: Any, decode: Callable[[Any], bytes]) -> list[bytes]:
    """Returns the secrets for webhooks, which may be one or a list."""
    found = given("webhook_secret", value)
    if found is None:
        return []
    if isinstance(found, str):
        return [decode(found)]
    if not isinstance(found, Sequence) or not found:
        raise ValueError("webhook_secret has no secret")
    return [decode(one) for one in found]
