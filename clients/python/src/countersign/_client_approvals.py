"""The approvals of both clients."""

from collections.abc import Awaitable, Callable

from ._approvals import ApprovalCalls
from ._flow import AsyncDriver, Driver
from ._proofs import KnownKey
from .approvals import Approval, ApprovalResult, Decided


class Approvals:
    """Texts that a user approves on the phone, such as a payment."""

    def __init__(self, driver: Driver, calls: ApprovalCalls) -> None:
        self._driver = driver
        self._calls = calls

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
        """Asks a user to approve a text. Give `session` of the answer to the page, and keep its `id`.

        `origin` is the page's, and the phone shows it. `context` is the text, which this puts into normalization
        form C. Only `user_id` can decide. `on_started` writes your record, before this returns and before a webhook
        is accepted; with a store in SQL, in one transaction with what the store remembers.
        """
        limits = self._calls.limits.of_call(timeout, max_retries)
        return self._driver.run(self._calls.start(origin, context, user_id, on_started, limits))

    def result(
        self,
        id: str,
        *,
        find_key: Callable[[str], KnownKey | None] | None = None,
        on_result: Callable[[Decided], None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ApprovalResult:
        """Returns what the user decided, with its proof verified, and each decision once.

        `on_result` writes your record of a decision; with a store in SQL, in one transaction with what makes it
        the only one. If it raises, so does this, and the next call returns the decision again. `find_key` gets a
        key id and returns a key that a user of yours registered, or None. Without it, the keys that are registered
        with the service count. Raises `UnknownApprovalError` if this server did not start this approval.
        """
        limits = self._calls.limits.of_call(timeout, max_retries)
        return self._driver.run(self._calls.result(id, find_key, on_result, limits))


class AsyncApprovals:
    """Texts that a user approves on the phone, such as a payment."""

    def __init__(self, driver: AsyncDriver, calls: ApprovalCalls) -> None:
        self._driver = driver
        self._calls = calls

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
        limits = self._calls.limits.of_call(timeout, max_retries)
        return await self._driver.run(self._calls.start(origin, context, user_id, on_started, limits))

    async def result(
        self,
        id: str,
        *,
        find_key: Callable[[str], Awaitable[KnownKey | None] | KnownKey | None] | None = None,
        on_result: Callable[[Decided], Awaitable[None] | None] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ApprovalResult:
        """Returns what the user decided, with its proof verified, and each decision once; see `Approvals.result`."""
        limits = self._calls.limits.of_call(timeout, max_retries)
        return await self._driver.run(self._calls.result(id, find_key, on_result, limits))
