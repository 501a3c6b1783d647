"""The keys that the service publishes, which sign its webhooks."""

import logging
import re
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from ._flow import Flow
from ._requests import Repeat, Request, judge
from ._service import Service
from .errors import CountersignError, KeysUnavailableError

log = logging.getLogger("countersign")

KEYS_MAX_AGE = 300
# The sender of a webhook waits ten seconds for our answer.
KEYS_TIMEOUT = 5.0


class KeySet:
    """The service's published keys by id, kept as long as it allows."""

    def __init__(self, service: Service, refetch_seconds: float) -> None:
        self._service = service
        self._refetch_seconds = refetch_seconds
        self._keys: dict[str, ec.EllipticCurvePublicKey] = {}
        self._expires_at = self._tried_at = float("-inf")
        self._loads = 0

    def find(self, kid: str) -> Flow[ec.EllipticCurvePublicKey | None]:
        """Returns the key, or None if the service has no such key."""
        key = self._known(kid)
        if key is None:
            yield from self.refresh()
            key = self._known(kid)
        return key

    def refresh(self) -> Flow[None]:
        """Fetches the keys, once for all who ask at the same time."""
        seen = self._loads
        yield lambda: self._service.driver.share(lambda: self._fetch(seen))

    def time(self) -> Flow[float]:
        """Returns the service's time in seconds since 1970. If no answer has told it yet, this asks."""
        if not self._service.clock.known:
            try:
                yield from self.refresh()
            except KeysUnavailableError as error:
                # Some servers may not call out. They have nothing better than their own clock.
                log.warning("the service's time is not known: %s", error)
        return self._service.clock.now()

    def _known(self, kid: str) -> ec.EllipticCurvePublicKey | None:
        return self._keys.get(kid) if self._service.seam.monotonic() < self._expires_at else None

    def _fetch(self, seen: int) -> Flow[None]:
        # Another thread may have fetched them while this one waited.
        if self._loads != seen:
            return
        now = self._service.seam.monotonic()
        # Anybody can send us invented key ids, so not each of them causes a request.
        if now - self._tried_at < self._refetch_seconds:
            raise KeysUnavailableError("the published keys were fetched a moment ago")
        self._tried_at = now
        request = Request("GET", "/.well-known/jwks.json", repeat=Repeat.NEVER, timeout=KEYS_TIMEOUT)
        outcome = yield from self._service.exchange(request)
        try:
            document = judge(outcome)
            keys = {jwk["kid"]: key_of(jwk) for jwk in document["keys"] if _is_p256(jwk)}
        except (CountersignError, AttributeError, KeyError, TypeError, ValueError) as cause:
            raise KeysUnavailableError("the published keys cannot be fetched") from cause
        headers = {} if isinstance(outcome, Exception) else outcome.headers
        # Until the next fetch is allowed, there are no better keys.
        self._keys, self._expires_at = keys, now + max(_max_age(headers), self._refetch_seconds)
        self._loads += 1


def _is_p256(jwk: Mapping[str, Any]) -> bool:
    return jwk.get("kty") == "EC" and jwk.get("crv") == "P-256"


def key_of(jwk: Mapping[str, Any]) -> ec.EllipticCurvePublicKey:
    def number(text: str) -> int:
        return int.from_bytes(urlsafe_b64decode(text + "=" * (-len(text) % 4)), "big")

    return ec.EllipticCurvePublicNumbers(number(jwk["x"]), number(jwk["y"]), ec.SECP256R1()).public_key()


def _max_age(headers: Mapping[str, str]) -> int:
    found = re.search(r"\bmax-age=([0-9]{1,9})", headers.get("cache-control", ""))
    return int(found[1]) if found else KEYS_MAX_AGE
