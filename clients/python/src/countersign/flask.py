"""Handlers for Flask.

app.post("/webhooks/countersign")(countersign.flask.webhook(client, on_verified=save))
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, TypeAlias

from flask import Request, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import RequestEntityTooLarge

from . import handlers
from ._client import Countersign
from ._options import UNSET
from ._proofs import Login

View: TypeAlias = Callable[[], ResponseReturnValue]


def webhook(
    countersign: Countersign,
    *,
    on_verified: handlers.OnVerified = UNSET,
    on_login: handlers.OnLoginEvent = UNSET,
    on_approval: handlers.OnApproval = UNSET,
    on_phone_registered: handlers.OnPhoneRegistered = UNSET,
    find_key: handlers.FindKey = UNSET,
) -> View:
    """Returns a view for webhooks; see `countersign.handlers.WebhookHandler`."""
    handler = handlers.WebhookHandler(
        countersign,
        on_verified=on_verified,
        on_login=on_login,
        on_approval=on_approval,
        on_phone_registered=on_phone_registered,
        find_key=find_key,
    )

    def countersign_webhook() -> ResponseReturnValue:
        return _response(handler(request.method, request.headers.items(), _body()))

    return _named(countersign_webhook)


def login(
    countersign: Countersign,
    *,
    origin: str,
    find_key: handlers.FindKey,
    on_login: Callable[[Login, Request], Any],
) -> View:
    """Returns a view for logins. `on_login` sets the session, or returns a response that does."""
    handler = handlers.LoginHandler(countersign, origin=origin, find_key=find_key, on_login=on_login)

    def countersign_login() -> ResponseReturnValue:
        return _response(handler(request.method, request.headers.items(), _body(), request))

    return _named(countersign_login)


_numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: count(1))


def _named(view: View) -> View:
    """Gives a view a unique name. Flask identifies views by name, and an app may have several of ours."""
    number = next(_numbers[view.__name__])
    if number > 1:
        view.__name__ = f"{view.__name__}_{number}"
    return view


def _body() -> bytes:
    """Reads the raw body, but only as much as it takes to decide that it is too large."""
    request.max_content_length = handlers.MAX_BODY + 1
    try:
        return request.get_data()
    except RequestEntityTooLarge:
        return bytes(handlers.MAX_BODY + 1)


def _response(answer: Any) -> ResponseReturnValue:
    if isinstance(answer, handlers.Reply):
        return answer.body, answer.status, dict(answer.headers)
    own: ResponseReturnValue = answer
    return own
