"""Handlers for FastAPI and Starlette.

app.post("/webhooks/countersign")(countersign.fastapi.webhook(client, on_verified=save))
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from . import handlers
from ._async_client import AsyncCountersign
from ._options import UNSET
from ._proofs import Login

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]


def webhook(
    countersign: AsyncCountersign,
    *,
    on_verified: handlers.AsyncOnVerified = UNSET,
    on_login: handlers.AsyncOnLoginEvent = UNSET,
    on_approval: handlers.AsyncOnApproval = UNSET,
    on_phone_registered: handlers.AsyncOnPhoneRegistered = UNSET,
    find_key: handlers.AsyncFindKey = UNSET,
) -> Endpoint:
    """Returns an endpoint for webhooks; see `countersign.handlers.WebhookHandler`."""
    handler = handlers.AsyncWebhookHandler(
        countersign,
        on_verified=on_verified,
        on_login=on_login,
        on_approval=on_approval,
        on_phone_registered=on_phone_registered,
        find_key=find_key,
    )

    async def countersign_webhook(request: Request) -> Response:
        return _response(await handler(request.method, request.headers.items(), await _body(request)))

    return countersign_webhook


def login(
    countersign: AsyncCountersign,
    *,
    origin: str,
    find_key: handlers.AsyncFindKey,
    on_login: Callable[[Login, Request], Any],
) -> Endpoint:
    """Returns an endpoint for logins. `on_login` sets the session, or returns a response that does."""
    handler = handlers.AsyncLoginHandler(countersign, origin=origin, find_key=find_key, on_login=on_login)

    async def countersign_login(request: Request) -> Response:
        return _response(
            await handler(request.method, request.headers.items(), await _body(request), request)
        )

    return countersign_login


async def _body(request: Request) -> bytes:
    """Reads the raw body, but only as much as it takes to decide that it is too large."""
    if hasattr(request, "_body"):
        return await request.body()
    body = b""
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > handlers.MAX_BODY:
                break
    except RuntimeError:
        return b""  # Something has read the stream. The handler says so.
    return body


def _response(answer: Any) -> Response:
    if isinstance(answer, handlers.Reply):
        return Response(answer.body, answer.status, dict(answer.headers))
    if not isinstance(answer, Response):
        raise TypeError("on_login must return a response or nothing")
    return answer
