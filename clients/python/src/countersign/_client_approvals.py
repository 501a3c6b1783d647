"""The approvals of both clients."""

from collections.abc import Awaitable, Callable
from typing import Any

from . import _api as api
from . import _approvals as approvals
from . import _options as options
from ._acts import accept, accept_async, remember, remember_async
from ._approvals import Confirmed, Inspected
from ._client_logins import AsyncLogins, Logins
from ._identity import approval_id
from ._proofs import KnownKey
from ._service import AsyncService, Service
from .approvals import Approval, ApprovalResult, Decided, Denied, Expired, Pending
from .errors import LoginVerificationError, ProblemError, UnknownApprovalError
from .store import WEBHOOK_TTL_SECONDS, AsyncStore, Store


class Approvals:
    """Texts that a user approves on the phone, such as a payment."""

    def __init__(self, service: Service, store: Store, logins: Logins) -> None:
        self._service = service
        self._store = store
        self._logins = logins

    def start(
        self,
        *,
        origin: str,
        context: str,
        user_id: str,
        on_started: Callable[[Approval], None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Approval:
        """Asks a user to approve a text. Pass the answer's `session` to the page, and store its `id`.

        `origin` is the page's origin, which the phone shows. `context` is the text, which this call puts into
        normalization form C. Only `user_id` can decide. `on_started` writes your record before this call returns
        and before a webhook is accepted; with a store in SQL, in the transaction in which the store writes the
        id.
        """
        options.optional_callback("on_started", on_started, asynchronous=False)
        call = approvals.start(self._service.settings, origin, context, user_id)
        started = self._service.call(call, timeout, max_retries)
        record = approval_id(started.id, user_id)
        remember(self._store, record, WEBHOOK_TTL_SECONDS, on_started, started)
        return started

    def result(
        self,
        id: str,
        *,
        find_key: Callable[[str], KnownKey | None] | None = None,
        on_result: Callable[[Decided], None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ApprovalResult:
        """Returns the user's decision after verifying its proof, and returns each decision only once.

        `on_result` writes your record of a decision; with a store in SQL, in the transaction that marks the
        decision as returned. If it raises, so does this call, and the next call returns the decision again.
        `find_key` receives a key id and returns the key that one of your users registered, or None. Without it,
        the keys registered with the service are used. Raises `UnknownApprovalError` if this server did not start
        this approval.
        """
        options.optional_callback("find_key", find_key, asynchronous=False)
        options.optional_callback("on_result", on_result, asynchronous=False)
        approval = self._inspect(id, timeout, max_retries)
        if approval is None:
            return Expired(id=id, reason="expired")
        return self._report(approval, find_key, on_result, timeout, max_retries)

    def _result_of_webhook(self, id: str, find_key: Any, on_result: Any, timeout: float) -> ApprovalResult:
        """Returns the same for a webhook; the service keeps the login for as long as it sends the webhook."""
        approval = self._inspect(id, timeout)
        if approval is None:
            raise UnknownApprovalError(id)
        return self._report(approval, find_key, on_result, timeout)

    def _inspect(self, id: str, *limits: Any) -> Inspected | None:
        """Returns an approval, or None if the service has removed it or never had it."""
        try:
            return self._service.call(approvals.inspect(self._service.settings, id), *limits)
        except ProblemError as problem:
            if problem.code == "session_not_found":
                return None
            raise

    def _report(self, approval: Inspected, find_key: Any, on_result: Any, *limits: Any) -> ApprovalResult:
        """Returns a result; a decided one is returned only once.

        `on_result` runs in the store's transaction.
        """
        judged = approval.judge()
        if isinstance(judged, Pending):
            return judged
        decided = self._decide(approval, judged, find_key, *limits)
        acceptance, _ = accept(self._store, approval.record, on_result, decided)
        return approval.reported(decided, acceptance)

    def _decide(
        self, approval: Inspected, judged: Confirmed | Denied | Expired, find_key: Any, *limits: Any
    ) -> Decided:
        """Returns the user's decision. A confirmation counts if its proof is valid."""
        if not isinstance(judged, Confirmed):
            return judged
        try:
            if find_key is None:
                entries = self._service.call(api.key_entries(approval.user_id), *limits)
                find_key = approvals.registered_keys(entries, approval.user_id)
            login = self._logins._prove(judged.presented, find_key, judged.at)
            return approval.approved(login)
        except LoginVerificationError as error:
            return approval.unverified(error)


class AsyncApprovals:
    """Texts that a user approves on the phone, such as a payment."""

    def __init__(self, service: AsyncService, store: AsyncStore, logins: AsyncLogins) -> None:
        self._service = service
        self._store = store
        self._logins = logins

    async def start(
        self,
        *,
        origin: str,
        context: str,
        user_id: str,
        on_started: Callable[[Approval], Awaitable[None] | None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Approval:
        """Asks a user to approve a text; see `Approvals.start`."""
        options.optional_callback("on_started", on_started, asynchronous=True)
        call = approvals.start(self._service.settings, origin, context, user_id)
        started = await self._service.call(call, timeout, max_retries)
        record = approval_id(started.id, user_id)
        await remember_async(self._store, record, WEBHOOK_TTL_SECONDS, on_started, started)
        return started

    async def result(
        self,
        id: str,
        *,
        find_key: Callable[[str], Awaitable[KnownKey | None] | KnownKey | None] | None = None,
        on_result: Callable[[Decided], Awaitable[None] | None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ApprovalResult:
        """Returns the user's decision after verifying its proof, and returns each decision only once; see
        `Approvals.result`.
        """
        options.optional_callback("find_key", find_key, asynchronous=True)
        options.optional_callback("on_result", on_result, asynchronous=True)
        approval = await self._inspect(id, timeout, max_retries)
        if approval is None:
            return Expired(id=id, reason="expired")
        return await self._report(approval, find_key, on_result, timeout, max_retries)

    async def _result_of_webhook(
        self, id: str, find_key: Any, on_result: Any, timeout: float
    ) -> ApprovalResult:
        """Returns the same for a webhook; the service keeps the login for as long as it sends the webhook."""
        approval = await self._inspect(id, timeout)
        if approval is None:
            raise UnknownApprovalError(id)
        return await self._report(approval, find_key, on_result, timeout)

    async def _inspect(self, id: str, *limits: Any) -> Inspected | None:
        """Returns an approval, or None if the service has removed it or never had it."""
        try:
            return await self._service.call(approvals.inspect(self._service.settings, id), *limits)
        except ProblemError as problem:
            if problem.code == "session_not_found":
                return None
            raise

    async def _report(
        self, approval: Inspected, find_key: Any, on_result: Any, *limits: Any
    ) -> ApprovalResult:
        """Returns a result; a decided one is returned only once.

        `on_result` runs in the store's transaction.
        """
        judged = approval.judge()
        if isinstance(judged, Pending):
            return judged
        decided = await self._decide(approval, judged, find_key, *limits)
        acceptance, _ = await accept_async(self._store, approval.record, on_result, decided)
        return approval.reported(decided, acceptance)

    async def _decide(
        self, approval: Inspected, judged: Confirmed | Denied | Expired, find_key: Any, *limits: Any
    ) -> Decided:
        """Returns the user's decision. A confirmation counts if its proof is valid."""
        if not isinstance(judged, Confirmed):
            return judged
        try:
            if find_key is None:
                entries = await self._service.call(api.key_entries(approval.user_id), *limits)
                find_key = approvals.registered_keys(entries, approval.user_id)
            login = await self._logins._prove(judged.presented, find_key, judged.at)
            return approval.approved(login)
        except LoginVerificationError as error:
            return approval.unverified(error)
