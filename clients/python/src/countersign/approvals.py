"""Approvals and their results: users' decisions about questions from your server."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NotRequired, TypeAlias, TypedDict


class ApprovalSession(TypedDict):
    """JSON for the page: the attribute or property `session` of `<countersign-login>`.

    `token` shows and watches the approval. It can neither redeem nor cancel the approval.
    """

    sessionId: str
    url: str
    token: str
    socketUrl: str
    expiresAt: str
    expiresIn: int
    serverTime: str
    checkCodeRequired: NotRequired[bool]


@dataclass(frozen=True, kw_only=True)
class Approval:
    """An approval that has started. `id` is for your own record, `session` for the page."""

    id: str
    session: ApprovalSession
    expires_in: int
    expires_at: datetime


@dataclass(frozen=True, kw_only=True)
class Pending:
    """The user has not decided yet, or still has to type the digits. Asking again has no side effect."""

    id: str
    expires_in: int
    status: Literal["pending"] = "pending"


@dataclass(frozen=True, kw_only=True)
class Approved:
    """The user approved `context`, as shown by a proof with this user's key `key_id`."""

    id: str
    user_id: str
    key_id: str
    context: str
    origin: str
    status: Literal["approved"] = "approved"


@dataclass(frozen=True, kw_only=True)
class Denied:
    """The user denied, or the approval was blocked, or its proof is not this user's (`unverified`).

    The log says why it is unverified; pages do not need to know.
    """

    id: str
    reason: Literal["denied", "blocked", "unverified"]
    status: Literal["denied"] = "denied"


@dataclass(frozen=True, kw_only=True)
class Expired:
    """The user did not decide in time, or the approval was cancelled."""

    id: str
    reason: Literal["expired", "cancelled"]
    status: Literal["expired"] = "expired"


@dataclass(frozen=True, kw_only=True)
class AlreadyReported:
    """An earlier call or a webhook has already returned the result: it is in your own record."""

    id: str
    status: Literal["already_reported"] = "already_reported"


Decided: TypeAlias = Approved | Denied | Expired
ApprovalResult: TypeAlias = Pending | Decided | AlreadyReported
