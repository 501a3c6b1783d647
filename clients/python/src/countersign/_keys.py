"""The keys that the service publishes, which sign its webhooks. This module does no IO."""

import re
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from ._clock import Seam
from ._requests import Outcome, Repeat, Request, judge
from .errors import CountersignError, KeysUnavailableError

KEYS_MAX_AGE = 300
# The time for which keys stay usable while newer ones cannot be fetched.
STALE_SECONDS = 24 * 60 * 60


class KeyCache:
    """The service's published keys by id, cached as long as the service allows, and longer while it cannot be
    reached.
    """

    def __init__(self, seam: Seam, refetch_seconds: float) -> None:
        # Number of times that keys have been fetched.
        self.loads = 0
        self._seam = seam
        self._refetch_seconds = refetch_seconds
        # None stands for a key that cannot be parsed.
        self._keys: dict[str, ec.EllipticCurvePublicKey | None] = {}
        self._fresh_until = self._usable_until = self._tried_at = float("-inf")

    def fresh(self, kid: str) -> ec.EllipticCurvePublicKey | None:
        """Returns a key for which no fetch is needed."""
        return self._known(kid, self._fresh_until)

    def stale(self, kid: str) -> ec.EllipticCurvePublicKey | None:
        """Returns a key that remains valid while the keys cannot be fetched."""
        return self._known(kid, self._usable_until)

    def fetched(self, kid: str) -> ec.EllipticCurvePublicKey | None:
        """Returns a key after a fetch, or None if the service has no such key."""
        if kid in self._keys and self._keys[kid] is None:
            # This is not treated as a forgery: the service sends the webhook again, and may have published the
            # key by then.
            raise KeysUnavailableError("the published key cannot be read")
        return self._keys.get(kid)

    def begin_fetch(self) -> Request:
        """Returns the request that fetches the keys."""
        now = self._seam.monotonic()
        # Strangers can send invented key ids, so not every unknown id triggers a request.
        if now - self._tried_at < self._refetch_seconds:
            raise KeysUnavailableError("the published keys were fetched a moment ago")
        self._tried_at = now
        return Request("GET", "/.well-known/jwks.json", repeat=Repeat.NEVER)

    def end_fetch(self, outcome: Outcome, address: str) -> None:
        """Reads the keys from the request's outcome."""
        try:
            keys = keys_of(judge(outcome, address))
        except CountersignError as cause:
            raise KeysUnavailableError(f"the published keys cannot be fetched: {cause}") from cause
        headers = {} if isinstance(outcome, Exception) else outcome.headers
        # Until the next fetch is allowed, no better keys are available.
        self._fresh_until = self._tried_at + max(_max_age(headers), self._refetch_seconds)
        self._usable_until = max(self._fresh_until, self._tried_at + STALE_SECONDS)
        self._keys = keys
        self.loads += 1

    def _known(self, kid: str, until: float) -> ec.EllipticCurvePublicKey | None:
        return self._keys.get(kid) if self._seam.monotonic() < until else None


def keys_of(document: Mapping[str, Any]) -> dict[str, ec.EllipticCurvePublicKey | None]:
    """Returns the keys of the kind that signs webhooks. A key that cannot be parsed affects only itself."""
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
