"""Puts the parts of a client together, the same for both kinds."""

from typing import Any

from . import _options as options
from ._acts import AnyStore
from ._api import AssociationKeyCalls, ConfirmationCalls, LoginCalls
from ._approvals import ApprovalCalls
from ._clock import Seam
from ._flow import AnyDriver
from ._keys import KeySet
from ._requests import Limits
from ._service import Service
from ._transport import AsyncTransport, Transport
from ._webhooks import WebhookVerifier


class Assembly:
    def __init__(
        self,
        driver: AnyDriver,
        transport: Transport | AsyncTransport,
        seam: Seam,
        store: AnyStore,
        *,
        api_key: Any,
        app_key: Any,
        webhook_secret: Any,
        webhook_keys: Any,
        key_refetch_seconds: Any,
        limits: Limits,
    ) -> None:
        secret = options.key("api_key", api_key)
        service = Service(driver, transport, seam, {"x-api-key": secret}, limits)
        self.limits = limits
        self.service = service
        self.is_test = secret.startswith("cs_test_")
        self.keys = KeySet(service, options.seconds("key_refetch_seconds", key_refetch_seconds, zero=True))
        self.confirmations = ConfirmationCalls(driver, service, store)
        known = None if options.given("app_key", app_key) is None else options.key("app_key", app_key)
        self.logins = LoginCalls(driver, service, store, self.keys, known)
        self.association_keys = AssociationKeyCalls(service)
        self.approvals = ApprovalCalls(driver, service, store, self.logins, self.association_keys, secret)
        self.webhooks = WebhookVerifier(self.keys, webhook_secret, webhook_keys)
