"""Countersign for servers: phone numbers by text, and logins by QR code or app link."""

from ._async_client import AsyncCountersign
from ._client import Countersign
from ._json import to_json
from ._proofs import KnownKey, Login, key_id
from ._version import __version__
from ._webhooks import Event
from .errors import (
    ConnectionError,
    CountersignError,
    KeysUnavailableError,
    LoginVerificationError,
    ProblemError,
    WebhookVerificationError,
)
from .store import AsyncMemoryStore, AsyncStore, MemoryStore, Store

__all__ = [
    "AsyncCountersign",
    "AsyncMemoryStore",
    "AsyncStore",
    "ConnectionError",
    "Countersign",
    "CountersignError",
    "Event",
    "KeysUnavailableError",
    "KnownKey",
    "Login",
    "LoginVerificationError",
    "MemoryStore",
    "ProblemError",
    "Store",
    "WebhookVerificationError",
    "__version__",
    "key_id",
    "to_json",
]
