"""The keys that the service publishes, which sign its webhooks."""

import logging
import re
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from ._flow import Flow
from ._requests import Limits, Repeat, Request, judge
from ._service import Service
from .errors import CountersignError, KeysUnavailableError

log = logging.getLogger("countersign")

KEYS_MAX_AGE = 300
# The sender of a webhook waits ten seconds for our answer.
KEYS_TIMEOUT = 5.0
# The time for which keys stay usable while newer ones cannot be fetched.
STALE_SECONDS = 24 * 60 * 60


class KeySet:
    """The service's published keys by id, kept as long as it allows, and longer while it cannot be asked."""

    def __init__(self, service: Service, refetch_seconds: float) -> None:
        self._service = service
        self._refetch_seconds = refetch_seconds
        # None is a key that cannot be read.
        self._keys: dict[str, ec.EllipticCurvePublicKey | None] = {}
        self._fresh_until = self._usable_until = self._tried_at = float("-inf")
        self._loads = 0

    def find(self, kid: str) -> Flow[ec.EllipticCurvePublicKey | None]:
        """Returns the key, or None if the service has no such key."""
        key = self._known(kid, self._fresh_until)
        if key is not None:
            return key
        try:
            yield from self.refresh()
        except KeysUnavailableError:
            stale = self._known(kid, self._usable_until)
            if stale is None:
                raise
            return stale
        if kid in self._keys and self._keys[kid] is None:
            # Not a forgery: the service sends the webhook again, and may have published the key better by then.
            raise KeysUnavailableError("the published key cannot be read")
        return self._keys.get(kid)

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

    def _known(self, kid: str, until: float) -> ec.EllipticCurvePublicKey | None:
        return self._keys.get(kid) if self._service.seam.monotonic() < until else None

    def _fetch(self, seen: int) -> Flow[None]:
        # Another thread may have fetched them while this one waited.
        if self._loads != seen:
            return
        now = self._service.seam.monotonic()
        # Strangers can send us invented key ids, so not each of them causes a request.
        if now - self._tried_at < self._refetch_seconds:
            raise KeysUnavailableError("the published keys were fetched a moment ago")
        self._tried_at = now
        request = Request("GET", "/.well-known/jwks.json", repeat=Repeat.NEVER)
        limits = Limits(min(KEYS_TIMEOUT, self._service.limits.timeout), 0)
        outcome = yield from self._service.exchange(request, limits)
        try:
            keys = keys_of(judge(outcome, self._service.transport.address))
        except CountersignError as cause:
            raise KeysUnavailableError(f"the published keys cannot be fetched: {cause}") from cause
        headers = {} if isinstance(outcome, Exception) else outcome.headers
        # Until the next fetch is allowed, there are no better keys.
        self._keys, self._fresh_until = keys, now + max(_max_age(headers), self._refetch_seconds)
        self._usable_until = max(self._fresh_until, now + STALE_SECONDS)
        self._loads += 1


def keys_of(document: Mapping[str, Any]) -> dict[str, ec.EllipticCurvePublicKey | None]:
    """Returns the keys of the kind that signs webhooks. One that cannot be read harms only itself."""
    jwks = document.get("keys")
    if not isinstance(jwks, list):
        raise CountersignError("the answer is not a set of keys")
    keys: dict[str, ec.EllipticCurvePublicKey | None] = {}
    for jwk in jwks:
        kid = jwk.get("kid") if isinstance(jwk, dict) and _is_p256(jwk) else None
        if not isinstance(kid, str):
            continue
        try:
            keys[kid] = key_of(jwk)
        except (AttributeError, KeyError, TypeError, ValueError):
            keys.setdefault(kid, None)
    return keys


def _is_p256(jwk: Mapping[str, Any]) -> bool:
    return jwk.get("kty") == "EC" and jwk.get("crv") == "P-256"


def key_of(jwk: Mapping[str, Any]) -> ec.EllipticCurvePublicKey:
    def number(text: str) -> int:
        return int.from_bytes(urlsafe_b64decode(text + "=" * (-len(text) % 4)), "big")

    return ec.EllipticCurvePublicNumbers(number(jwk["x"]), number(jwk["y"]), ec.SECP256R1()).public_key()


def _max_age(headers: Mapping[str, str]) -> int:
    found = re.search(r"\bmax-age=([0-9]{1,9})", headers.get("cache-control", ""))
    return int(found[1]) if found else KEYS_MAX_AGE
