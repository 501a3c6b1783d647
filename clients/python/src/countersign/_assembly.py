"""Puts the parts of a client together, the same for both kinds."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from ._api import AnyStore, AssociationKeyCalls, ConfirmationCalls, LoginCalls
from ._clock import Seam
from ._flow import AnyDriver
from ._keys import KeySet
from ._service import Service
from ._transport import AsyncTransport, Transport
from ._webhooks import WebhookVerifier

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def base_url(url: str) -> str:
    """Returns the URL without slashes at its end.

    Over plain http, anybody on the network path could read the API key and answer with keys of their own.
    """
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise ValueError("url must begin with https://, or name this machine")
    if not parts.hostname or parts.username is not None or parts.query or parts.fragment:
        raise ValueError("url must have a host, and no user, query or fragment")
    return url.rstrip("/")


class Assembly:
    def __init__(
        self,
        driver: AnyDriver,
        transport: Transport | AsyncTransport,
        seam: Seam,
        store: AnyStore,
        *,
        api_key: str,
        app_key: str | None,
        webhook_secret: str | Sequence[str] | None,
        key_refetch_seconds: float,
    ) -> None:
        if not re.fullmatch(r"[!-~]*", api_key):
            raise ValueError("api_key has characters that no API key has, such as a line feed at its end")
        service = Service(driver, transport, seam, {"x-api-key": api_key})
        self.keys = KeySet(service, key_refetch_seconds)
        self.confirmations = ConfirmationCalls(service, store)
        self.logins = LoginCalls(service, store, self.keys, app_key)
        self.association_keys = AssociationKeyCalls(service)
        self.webhooks = WebhookVerifier(self.keys, webhook_secret)
