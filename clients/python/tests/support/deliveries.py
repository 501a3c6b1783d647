"""The requests to every adapter, and their expected answers."""

from collections.abc import Callable
from typing import Any, Protocol

from .approvals import CONTEXT, ApprovalStub
from .harness import World
from .phone import ORIGIN, Phone, dumps
from .signing import CONFIRMATION_ID, SigningKey, event, login_event
from .stub import Answer, Stub

HEADERS = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
}


class Site(Protocol):
    """A site with a webhook, a login, and a route whose body something has read before the handler."""

    def post(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, str, dict[str, str]]: ...

    def get(self, path: str) -> int: ...


def publish(stub: Stub, key: SigningKey) -> None:
    stub.routes["/.well-known/jwks.json"] = Answer(body={"keys": [key.jwk]})
    stub.routes["/acquire-phone-number"] = Answer(body={"confirmationId": CONFIRMATION_ID})


def webhooks_are_answered(site: Site, key: SigningKey, start: Callable[[], Any], acted: list[Any]) -> None:
    body = event()

    def post(path: str, body: bytes) -> tuple[int, str]:
        headers = {**key.headers(event()), "content-type": "application/json"}
        status, text, given = site.post(path, body, headers)
        assert {name: given[name] for name in HEADERS} == HEADERS
        return status, text

    assert post("/webhook", body) == (404, "unknown confirmation")
    start()
    assert post("/webhook", body + b" ") == (403, "signature refused")
    assert post("/webhook", body) == (200, "accepted")
    assert post("/webhook", body) == (200, "already accepted")
    assert post("/webhook", bytes(64 * 1024 + 1))[0] == 413
    assert post("/webhook", bytes(4 * 1024 * 1024))[0] == 413
    assert site.get("/webhook") == 405
    assert [event.phone_number for event in acted] == ["+12025550100"]


def approvals_are_answered(
    site: Site, stub: Stub, phone: Phone, start: Callable[..., Any], acted: list[Any]
) -> None:
    key = SigningKey()
    publish(stub, key)
    service = ApprovalStub(World(asynchronous=False), stub)
    id = start(origin=ORIGIN, context=CONTEXT, user_id=phone.user).id
    service.confirm(phone)
    body = login_event(sessionId=id)
    assert site.post("/webhook", body, key.headers(body))[:2] == (200, "accepted")
    assert [(result.id, result.status) for result in acted] == [(id, "approved")]


def taken_bodies_are_told(site: Site, key: SigningKey, content_type: str) -> None:
    headers = {**key.headers(event()), "content-type": content_type}
    assert site.post("/taken", event(), headers)[:2] == (500, "internal error")


def logins_are_answered(site: Site, phone: Phone, session: Callable[[], Any]) -> None:
    detail: dict[str, Any] = phone.detail()
    detail["sessionId"] = detail.pop("session_id")

    def post(origin: str = ORIGIN, **changes: str) -> tuple[int, str]:
        body = dumps({**detail, **changes}).encode()
        return site.post("/login", body, {"origin": origin, "content-type": "text/plain"})[:2]

    assert post(origin="https://evil.example") == (403, "not logged in")
    assert post(payload="another") == (403, "not logged in")
    assert session() is None
    assert post() == (200, "logged in")
    assert session() == "zoe@example.com"
    assert post() == (403, "not logged in")
    assert site.post("/login", b"{}", {"origin": ORIGIN})[:2] == (400, "not a login")
