"""A program that is only type-checked by mypy: users' code must have types."""

import asyncio
from collections.abc import Iterator
from typing import Literal

import fastapi
import flask
import httpx
from django.http import HttpRequest
from flask.typing import ResponseReturnValue
from limits.storage import storage_from_string
from starlette.requests import Request
from typing_extensions import assert_type

import countersign
import countersign.django
import countersign.fastapi
import countersign.flask
from countersign import AsyncCountersign, Countersign, KnownKey, Login, MemoryStore, handlers
from countersign.limits import Limit, StartLimiter
from countersign.testing import TestPhone, start_test_login
from countersign.types import (
    Confirmation,
    ConfirmationSession,
    InspectedSession,
    LoginWebhookBody,
    PhoneRegisteredWebhookBody,
    WebhookBody,
)


def find_key(key_id: str) -> KnownKey | None:
    return KnownKey("MFkw...", "zoe") if key_id else None


def on_verified(event: WebhookBody) -> None:
    assert_type(event.phone_number, str)


def on_started(started: ConfirmationSession) -> None:
    raise countersign.RecordMissingError(started.confirmation_id)


def on_decision(event: LoginWebhookBody) -> None:
    assert_type(event.session_id, str)


def on_phone_registered(event: PhoneRegisteredWebhookBody) -> None:
    assert_type(event.label, str | None)


def on_login(login: Login, request: HttpRequest) -> None:
    request.session["user"] = login.user_id


def calls(client: Countersign) -> None:
    started = client.confirmations.acquire(metadata={"order": 17})
    assert_type(started, ConfirmationSession)
    assert_type(started.confirmation_uri.whatsapp, str | None)
    watched = client.confirmations.acquire(client_channel=True, callback_url="https://shop.example/webhook")
    assert_type(watched.client.token, str)
    assert_type(
        client.confirmations.confirm(phone_number="+12025550100", client_channel=True).client.token, str
    )
    assert_type(client.confirmations.list(status="open", limit=5), Iterator[Confirmation])
    client.confirmations.confirm(phone_number="+12025550100", idempotency_key="k")
    client.confirmations.confirm(phone_number="0170 1234567", country="DE", on_started=on_started)
    client.confirmations.acquire(on_started=on_verified)  # type: ignore[arg-type]
    assert_type(started.phone_number, str | None)
    client.confirmations.confirm()  # type: ignore[call-overload]
    client.confirmations.acquire(callback_url=7)  # type: ignore[call-overload]
    client.confirmations.list(status="closed")  # type: ignore[arg-type]
    assert_type(client.confirmations.page(limit=5).next_cursor, str | None)
    assert_type(client.logins.page(state="denied").sessions, list[InspectedSession])
    client.confirmations.get("cfm_1", timeout=2.5, max_retries=0)
    event = client.webhooks.verify(b"{}", {"webhook-id": "msg_1"})
    if isinstance(event, WebhookBody):
        assert_type(event.confirmation_id, str)
    try:
        client.confirmations.cancel("cfm_1")
    except countersign.ProblemError as problem:
        assert_type(problem.code, str)
        assert_type(problem.retry_after, int | None)


def approvals(client: Countersign) -> None:
    started = client.approvals.start(
        origin="https://a.example", context="Pay 20 EUR", user_id="zoe", on_started=on_approval_started
    )
    assert_type(started.session["token"], str)
    client.approvals.start(origin="https://a.example", context="Pay 20 EUR")  # type: ignore[call-arg]
    result = client.approvals.result(started.id, find_key=find_key, on_result=on_result)
    if result.status == "approved":
        assert_type(result.user_id, str)
    elif result.status == "denied":
        assert_type(result.reason, Literal["denied", "blocked", "unverified"])
    elif result.status == "pending":
        assert_type(result.expires_in, int)
    handlers.WebhookHandler(client, on_approval=on_result, find_key=find_key)
    proof = {"session_id": started.id, "proof": "a.b.c", "origin": "https://a.example"}
    client.logins.verify(**proof, find_key=find_key, opened_by_server=True)
    client.logins.verify(session_id="", proof="", origin="", find_key=find_key)  # type: ignore[call-overload]


def phone_registrations(client: Countersign) -> None:
    created = client.phone_registrations.create(public_user_id="zoe", label="Zoë")
    assert_type(created.page_token, str)
    assert_type(client.phone_registrations.get(created.registration_id, timeout=5).key_id, str | None)
    client.phone_registrations.cancel(created.registration_id)
    client.phone_registrations.create(label="Zoë")  # type: ignore[call-arg]
    handlers.WebhookHandler(client, on_phone_registered=on_phone_registered)
    handlers.WebhookHandler(client, on_phone_registered=on_verified)  # type: ignore[arg-type]


def phones(client: Countersign, other: AsyncCountersign) -> None:
    phone = TestPhone(client, user_id="zoe")
    assert_type(phone.register(), str)
    opened = phone.open(start_test_login(client, origin="https://a.example").url, as_user=None)
    assert_type(opened.context, str | None)
    assert_type(opened.confirm("a token", sign_with=phone)["proof"], str)
    TestPhone(other, user_id="zoe")  # type: ignore[arg-type]


def limits(limiter: StartLimiter) -> None:
    refusal = limiter.take(browser="1", address="192.0.2.1", phone_number=None)
    if refusal is not None:
        assert_type(refusal.retry_after, int)
    StartLimiter(per_number=Limit(3, 3600), storage=storage_from_string("redis://localhost"))


def on_approval_started(approval: countersign.Approval) -> None:
    assert_type(approval.expires_in, int)


def on_result(result: countersign.Decided) -> None:
    assert_type(result, countersign.Approved | countersign.Denied | countersign.Expired)


def page(client: Countersign) -> ResponseReturnValue:
    """A view may return the session itself."""
    return client.approvals.start(origin="https://a.example", context="Pay", user_id="zoe").session


def frameworks(client: Countersign, async_client: AsyncCountersign) -> None:
    api = fastapi.FastAPI()

    async def set_session(login: Login, request: Request) -> None:
        request.session["user"] = login.user_id

    async def find_key_later(key_id: str) -> KnownKey | None:
        return find_key(key_id)

    api.post("/webhook")(countersign.fastapi.webhook(async_client, on_verified=on_verified))
    api.post("/login")(
        countersign.fastapi.login(
            async_client, origin="https://a.example", find_key=find_key_later, on_login=set_session
        )
    )
    app = flask.Flask(__name__)
    app.post("/webhook")(countersign.flask.webhook(client, on_verified=on_verified, on_login=on_decision))
    countersign.django.login(client, origin="https://a.example", find_key=find_key, on_login=on_login)


async def asynchronous() -> None:
    async with AsyncCountersign(url="https://a.example", api_key="cs_live_x") as client:
        assert_type((await client.confirmations.acquire()).expires_in, int)
        async for confirmation in client.confirmations.list():
            assert_type(confirmation, Confirmation)


if __name__ == "__main__":
    Countersign(url="https://a.example", api_key=None)  # type: ignore[arg-type]
    Countersign(url="https://a.example", api_key="x", webhook_secret=None)  # type: ignore[arg-type]
    Countersign(url="https://a.example", api_key="x", webhook_keys="all")  # type: ignore[arg-type]
    Countersign(url="http://cs:8080", api_key="x", http_client=httpx.Client(), allow_unencrypted_http=True)
    calls(Countersign(url="https://a.example", api_key="cs_live_x", store=MemoryStore()))
    asyncio.run(asynchronous())
