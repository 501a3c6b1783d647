"""Links to logins: https://HOST?sessionId=ID, or http:// if the host is this machine.

This module does no IO.
"""

import re
from urllib.parse import parse_qsl, urlsplit

from .errors import PhoneRefusedError

MAX_LINK = 2048
MAX_NAME = 253
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# The last label of a name contains a letter: otherwise, it is some spelling of an IP address.
NAME = re.compile(rf"(?:{LABEL}\.)*(?=[0-9-]*[a-z]){LABEL}")
SESSION_ID = re.compile(r"qr[sp]_[0-9a-f]{32}")


def scheme_of(host: str) -> str | None:
    """Returns the scheme of links to a host, which may have a port, or None if it is not a host of links."""
    found = re.fullmatch(r"([^:\[\]]+|\[::1\])(?::([1-9][0-9]{0,4}))?", host)
    if not found or int(found[2] or 443) > 65535:
        return None
    if found[1] in LOOPBACK:
        return "http"
    return "https" if len(found[1]) <= MAX_NAME and NAME.fullmatch(found[1]) else None


def is_link_of(url: str, session_id: str) -> bool:
    """Returns whether a link is exactly the one to show for a login."""
    host, separator, id = url.partition("://")[2].partition("?sessionId=")
    scheme = scheme_of(host)
    return scheme is not None and id == session_id and url == f"{scheme}://{host}{separator}{id}"


def session_id_of(link: str) -> str:
    """Returns the id of the login that a link opens, as a phone reads it. Raises a `PhoneRefusedError`."""
    # Link parsers drop or replace some characters, so two parsers could read two different links.
    if len(link) > MAX_LINK or not re.fullmatch(r"[!-\[\]-~]+", link):
        raise PhoneRefusedError("link_malformed")
    try:
        parts = urlsplit(link)
    except ValueError:
        raise PhoneRefusedError("link_malformed") from None
    if not re.match(r"[A-Za-z]+://[^/]", link) or "@" in parts.netloc or parts.path not in ("", "/"):
        raise PhoneRefusedError("link_malformed")
    if parts.scheme not in ("https", "http"):
        raise PhoneRefusedError("link_insecure")
    scheme = scheme_of(parts.netloc.lower())
    if scheme is None:
        raise PhoneRefusedError("link_malformed")
    if parts.scheme != scheme:
        raise PhoneRefusedError("link_insecure")
    ids = [value for name, value in parse_qsl(parts.query, keep_blank_values=True) if name == "sessionId"]
    if not ids:
        raise PhoneRefusedError("session_id_missing")
    if len(ids) > 1 or not SESSION_ID.fullmatch(ids[0]):
        raise PhoneRefusedError("session_id_malformed")
    return ids[0]
