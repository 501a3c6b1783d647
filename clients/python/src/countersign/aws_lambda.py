"""Handlers for AWS Lambda, behind REST APIs, HTTP APIs, function URLs and load balancers.

handler = countersign.aws_lambda.webhook(client, on_verified=save)
"""

import binascii
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from . import handlers
from ._client import Countersign
from ._options import UNSET
from ._proofs import Login

Event: TypeAlias = Mapping[str, Any]
Handler: TypeAlias = Callable[[Event, Any], dict[str, Any]]


def webhook(
    countersign: Countersign,
    *,
    on_verified: handlers.OnVerified = UNSET,
    on_login: handlers.OnLoginEvent = UNSET,
    on_approval: handlers.OnApproval = UNSET,
    on_phone_registered: handlers.OnPhoneRegistered = UNSET,
    find_key: handlers.FindKey = UNSET,
) -> Handler:
    """Returns a handler for webhooks; see `countersign.handlers.WebhookHandler`."""
    handle = handlers.WebhookHandler(
        countersign,
        on_verified=on_verified,
        on_login=on_login,
        on_approval=on_approval,
        on_phone_registered=on_phone_registered,
        find_key=find_key,
    )

    def countersign_webhook(event: Event, _context: Any) -> dict[str, Any]:
        return _answer(event, handle(*_parts(event)))

    return countersign_webhook


def login(
    countersign: Countersign,
    *,
    origin: str,
    find_key: handlers.FindKey,
    on_login: Callable[[Login, Event], Any],
) -> Handler:
    """Returns a handler for logins. `on_login` may return the answer, with the cookie of a session."""
    handle = handlers.LoginHandler(countersign, origin=origin, find_key=find_key, on_login=on_login)

    def countersign_login(event: Event, _context: Any) -> dict[str, Any]:
        return _answer(event, handle(*_parts(event), event))

    return countersign_login


def _parts(event: Event) -> tuple[str, Any, bytes | str]:
    """Returns method, headers and body. The header lists have all values, the strings only the last ones."""
    method = event.get("httpMethod") or event.get("requestContext", {}).get("http", {}).get("method") or ""
    headers = event.get("multiValueHeaders") or event.get("headers") or {}
    body = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return method, headers, body
    try:
        return method, headers, b64decode(body)
    except binascii.Error:
        return method, headers, b""


def _answer(event: Event, answer: Any) -> dict[str, Any]:
    if not isinstance(answer, handlers.Reply):
        own: dict[str, Any] = answer
        return own
    headers = dict(answer.headers)
    # A load balancer that sends lists reads only lists.
    lists = {"multiValueHeaders": {name: [value] for name, value in headers.items()}}
    return {
        "statusCode": answer.status,
        "headers": headers,
        **(lists if event.get("multiValueHeaders") else {}),
        "body": answer.body,
    }
