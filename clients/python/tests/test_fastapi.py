"""The handlers in FastAPI."""

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request, Response

import countersign.fastapi
from countersign import AsyncCountersign
from support import deliveries
from support.harness import World
from support.phone import APP, ORIGIN, Phone, dumps
from support.signing import SigningKey
from support.stub import Stub


class Site:
    def __init__(self, stub: Stub, phone: Phone) -> None:
        self.acted: list[Any] = []
        self.user: str | None = None
        self._runner = asyncio.Runner()
        self.countersign = AsyncCountersign(
            url=stub.url, api_key="cs_live_secret", app_key=APP, webhook_keys="published"
        )
        world = World(asynchronous=True)
        world.install(self.countersign._seam)
        stub.time = world.time
        app = FastAPI()
        find_key = {phone.key_id: phone.known}.get
        webhook = countersign.fastapi.webhook(
            self.countersign, on_verified=self._save, on_approval=self._save, find_key=find_key
        )
        app.post("/webhook")(webhook)
        login = {"find_key": find_key, "on_login": self._log_in}
        app.post("/login")(countersign.fastapi.login(self.countersign, origin=ORIGIN, **login))
        own = {**login, "on_login": lambda _login, _request: Response("welcome", 201)}
        app.post("/own")(countersign.fastapi.login(self.countersign, origin=ORIGIN, **own))

        @app.post("/taken")
        async def taken(request: Request) -> Response:
            async for _ in request.stream():
                pass
            return await webhook(request)

        @app.post("/start")
        async def start() -> str:
            return (await self.countersign.confirmations.acquire()).confirmation_id

        self.app = app
        transport = httpx.ASGITransport(app)
        self._http = httpx.AsyncClient(transport=transport, base_url="https://shop.example")

    async def _save(self, event: Any) -> None:
        self.acted.append(event)

    def _log_in(self, login: Any, request: Request) -> None:
        assert request.url.path == "/login"
        self.user = login.user_id

    def post(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, str, dict[str, str]]:
        answer = self._runner.run(self._http.post(path, content=body, headers=headers))
        return answer.status_code, answer.text, dict(answer.headers)

    def approve(self, **request: str) -> Any:
        return self._runner.run(self.countersign.approvals.start(**request))

    def get(self, path: str) -> int:
        return self._runner.run(self._http.get(path)).status_code

    def close(self) -> None:
        self._runner.run(self._http.aclose())
        self._runner.run(self.countersign.aclose())
        self._runner.close()


@pytest.fixture
def phone() -> Phone:
    return Phone(now=World(True).time)


@pytest.fixture
def site(stub: Stub, phone: Phone) -> Iterator[Site]:
    site = Site(stub, phone)
    yield site
    site.close()


def test_webhooks(site: Site, stub: Stub) -> None:
    key = SigningKey()
    deliveries.publish(stub, key)
    deliveries.webhooks_are_answered(site, key, lambda: site.post("/start", b"", {}), site.acted)


def test_approvals(site: Site, stub: Stub, phone: Phone) -> None:
    deliveries.approvals_are_answered(site, stub, phone, site.approve, site.acted)


def test_taken_bodies(site: Site, stub: Stub, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        deliveries.taken_bodies_are_told(site, SigningKey(), "application/json")
    assert "the raw body is gone" in caplog.text


def test_logins(site: Site, stub: Stub, phone: Phone) -> None:
    deliveries.publish(stub, SigningKey())
    deliveries.logins_are_answered(site, phone, lambda: site.user)


def test_own_answers(site: Site, stub: Stub, phone: Phone) -> None:
    deliveries.publish(stub, SigningKey())
    detail = {**phone.detail(), "sessionId": phone.detail()["session_id"]}
    assert site.post("/own", dumps(detail).encode(), {"origin": ORIGIN})[:2] == (201, "welcome")


def test_endless_bodies_are_not_read_to_their_end(site: Site, stub: Stub) -> None:
    sent: list[Any] = []
    endpoint = next(route for route in site.app.routes if route.path == "/webhook").endpoint  # type: ignore

    async def receive() -> dict[str, Any]:
        assert len(sent) <= 64, "it goes on reading"
        sent.append(1)
        return {"type": "http.request", "body": bytes(1024), "more_body": True}

    scope = {"type": "http", "method": "POST", "headers": [], "path": "/webhook"}
    assert asyncio.run(endpoint(Request(scope, receive))).status_code == 413
