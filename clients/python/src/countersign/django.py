"""Handlers for Django.

path("webhooks/countersign", countersign.django.webhook(client, on_verified=save))
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from django.http import HttpRequest, HttpResponse
from django.http.request import RawPostDataException
from django.views.decorators.csrf import csrf_exempt

from . import handlers
from ._client import Countersign
from ._options import UNSET
from ._proofs import Login

View: TypeAlias = Callable[[HttpRequest], HttpResponse]


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

    # The signature authenticates the sender.
    @csrf_exempt
    def countersign_webhook(request: HttpRequest) -> HttpResponse:
        return _response(handler(_method(request), request.headers, _body(request)))

    return countersign_webhook


def login(
    countersign: Countersign,
    *,
    origin: str,
    find_key: handlers.FindKey,
    on_login: Callable[[Login, HttpRequest], Any],
) -> View:
    """Returns a view for logins. `on_login` sets the session, or returns a response that does."""
    handler = handlers.LoginHandler(countersign, origin=origin, find_key=find_key, on_login=on_login)

    # The handler compares `Origin`, which protects it against pages of other sites.
    @csrf_exempt
    def countersign_login(request: HttpRequest) -> HttpResponse:
        return _response(handler(_method(request), request.headers, _body(request), request))

    return countersign_login


def _method(request: HttpRequest) -> str:
    return request.method or ""


def _body(request: HttpRequest) -> bytes:
    """Reads the raw body, but only as much as it takes to decide that it is too large."""
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and int(length) > handlers.MAX_BODY:
        return bytes(handlers.MAX_BODY + 1)
    # Django's WSGI handler reads as many bytes as the Content-Length header says: none, if the request is
    # chunked.
    environ = getattr(request, "environ", {})
    if "HTTP_TRANSFER_ENCODING" in environ and environ.get("wsgi.input_terminated"):
        return _read(environ["wsgi.input"])
    try:
        return request.body
    except RawPostDataException:
        return b""  # Something has read the stream. The handler says so.


def _read(stream: Any) -> bytes:
    body = b""
    while len(body) <= handlers.MAX_BODY:
        chunk = stream.read(handlers.MAX_BODY + 1 - len(body))
        if not chunk:
            break
        body += chunk
    return body


def _response(answer: Any) -> HttpResponse:
    if isinstance(answer, handlers.Reply):
        return HttpResponse(answer.body, status=answer.status, headers=dict(answer.headers))
    if not isinstance(answer, HttpResponse):
        raise TypeError("on_login must return a response or nothing")
    return answer
