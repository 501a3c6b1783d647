"""The checked options of a client, the same for both kinds."""

from typing import Any

from . import _options as options
from ._requests import Limits
from ._webhooks import WebhookVerifier
from .errors import CountersignError


class Settings:
    def __init__(
        self,
        *,
        api_key: Any,
        app_key: Any,
        webhook_secret: Any,
        webhook_keys: Any,
        key_refetch_seconds: Any,
        limits: Limits,
    ) -> None:
        self.api_key: str = options.key("api_key", api_key)
        self.app_key: str | None = (
            None if options.given("app_key", app_key) is None else options.key("app_key", app_key)
        )
        self.webhooks = WebhookVerifier(webhook_secret, webhook_keys)
        self.key_refetch_seconds = options.seconds("key_refetch_seconds", key_refetch_seconds, zero=True)
        self.limits = limits

    @property
    def is_test(self) -> bool:
        return self.api_key.startswith("cs_test_")

    def require_app_key(self) -> str:
        if self.app_key is None:
            raise CountersignError("logins are verified with the app key: set app_key")
        return self.app_key
