"""Countersign for servers: phone numbers by text, and logins by QR code or app link."""

from ._async_client import AsyncCountersign
from ._client import Countersign
from ._json import to_json
from ._proofs import KnownKey, Login, key_id
from ._version import __version__
from ._watched import WatchedConfirmationSession
from ._webhooks import Event
from .approvals import (
    AlreadyReported,
    Approval,
    ApprovalResult,
    ApprovalSession,
    Approved,
    Decided,
    Denied,
    Expired,
    Pending,
)
from .errors import (
    APIConnectionError,
    CountersignError,
    KeysUnavailableError,
    LoginVerificationError,
    PhoneRefusedError,
    ProblemError,
    RecordMissingError,
    UnknownApprovalError,
    WebhookVerificationError,
)
from .problem_codes import ProblemCode
from .store import AsyncMemoryStore, AsyncStore, MemoryStore, Store
from .types import (
    Confirmation,
    ConfirmationClient,
    ConfirmationPage,
    ConfirmationSession,
    CreatedPhoneRegistration,
    InspectedSession,
    LoginWebhookBody,
    NewSession,
    PhoneRegisteredWebhookBody,
    RegisteredAssociationKey,
    SessionPage,
    ShownPhoneRegistration,
    WebhookBody,
)

__all__ = [
    "AlreadyReported",
    "Approval",
    "ApprovalResult",
    "ApprovalSession",
    "Approved",
    "AsyncCountersign",
    "AsyncMemoryStore",
    "AsyncStore",
    "Confirmation",
    "ConfirmationClient",
    "ConfirmationPage",
    "ConfirmationSession",
    "APIConnectionError",
    "Countersign",
    "CountersignError",
    "CreatedPhoneRegistration",
    "Decided",
    "Denied",
    "Event",
    "Expired",
    "InspectedSession",
    "KeysUnavailableError",
    "KnownKey",
    "Login",
    "LoginVerificationError",
    "LoginWebhookBody",
    "MemoryStore",
    "NewSession",
    "Pending",
    "PhoneRefusedError",
    "PhoneRegisteredWebhookBody",
    "ProblemCode",
    "ProblemError",
    "RecordMissingError",
    "RegisteredAssociationKey",
    "SessionPage",
    "ShownPhoneRegistration",
    "Store",
    "UnknownApprovalError",
    "WatchedConfirmationSession",
    "WebhookBody",
    "WebhookVerificationError",
    "__version__",
    "key_id",
    "to_json",
]
