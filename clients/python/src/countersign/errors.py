"""The errors that this library raises. Their texts never contain a key, a code, a token or a whole number."""

from typing import Literal, TypeAlias

WebhookReason: TypeAlias = Literal[
    "signature_missing", "signature_wrong", "timestamp_out_of_range", "not_an_event"
]


PhoneRefusal: TypeAlias = Literal[
    "link_malformed",
    "link_insecure",
    "session_id_missing",
    "session_id_malformed",
    "plain_refused",
    "key_missing",
    "key_unexpected",
    "context_unexpected",
    "context_malformed",
    "key_mismatch",
    "answer_malformed",
]


class CountersignError(Exception):
    """The base of all errors of this library."""


class ProblemError(CountersignError):
    """The service refused the request and said why.

    Decide by `code`, and treat an unknown one by `status`. `title` and `detail` are for developers. `field`
    points to the invalid member, `request_id` identifies the request in the service's log, and `retry_after`
    is the requested wait in seconds.
    """

    def __init__(
        self,
        status: int,
        code: str,
        *,
        title: str | None = None,
        detail: str | None = None,
        field: str | None = None,
        request_id: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        # The text omits the detail, which may quote the request.
        super().__init__(f"{title or 'the service refused the request'} ({status} {code})")
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.field = field
        self.request_id = request_id
        self.retry_after = retry_after


class APIConnectionError(CountersignError):
    """The service did not answer in time, or the answer did not come from the service.

    The request may have taken effect. `status` is that of the last answer, if there was one, and
    `retry_after` the requested wait in seconds.
    """

    def __init__(self, message: str, *, status: int | None = None, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class WebhookVerificationError(CountersignError):
    """A request is not a webhook of the service. Answer 403, or 400 if the reason is `not_an_event`."""

    def __init__(self, reason: WebhookReason) -> None:
        super().__init__(f"not a webhook of the service: {reason}")
        self.reason: WebhookReason = reason


class KeysUnavailableError(CountersignError):
    """The published keys cannot be fetched at the moment.

    Answer 500, and the service sends the webhook again.
    """


class RecordMissingError(CountersignError):
    """You have no record for a webhook. Raise it in your callback, such as `on_verified`.

    The handler answers 503, and the service sends the webhook again until your record is there, for a day.
    `id` is the id in the webhook.
    """

    def __init__(self, id: str) -> None:
        super().__init__(f"there is no record of {id}: write it in on_started, before anything can arrive")
        self.id = id


class UnknownApprovalError(CountersignError):
    """This server did not start this approval for this user, or its store has forgotten it.

    `id` is the id of the request.
    """

    def __init__(self, id: str) -> None:
        super().__init__(f"this server did not start an approval {id} for this user")
        self.id = id


class LoginVerificationError(CountersignError):
    """The proof of a login is not valid.

    `reason` is for logs: give the browser the same answer for every reason.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"the login is not proven: {reason}")
        self.reason = reason


class PhoneRefusedError(CountersignError):
    """A test phone refuses a login, as a real phone would. `reason` says why."""

    def __init__(self, reason: PhoneRefusal) -> None:
        super().__init__(f"the phone refuses this login: {reason}")
        self.reason: PhoneRefusal = reason
