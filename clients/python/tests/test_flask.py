"""The handlers in Flask, by its own test client."""

import logging
from typing import Any

import flask
import pytest

import countersign.flask
from countersign import Countersign
from support import deliveries
from support.harness import World
from support.phone import APP, ORIGIN, Phone
from support.signing import SigningKey
from support.stub import Stub


class Site:
    def __init__(self, stub: Stub, phone: Phone) -> None:
        self.acted: list[Any] = []
        self.countersign = Countersign(
            url=stub.url, api_key="cs_live_secret", app_key=APP, webhook_keys="published"
        )
        world = World(asynchronous=False)
        world.install(self.countersign._seam)
        stub.time = world.time
        app = flask.Flask(__name__)
        app.secret_key = "secret"
        find_key = {phone.key_id: phone.known}.get
        webhook = countersign.flask.webhook(
            self.countersign,
            on_verified=self.acted.append,
            on_approval=self.acted.append,
            find_key=find_key,
        )
        app.post("/webhook")(webhook)
        login = {"find_key": find_key, "on_login": self._log_in}
        app.post("/login")(countersign.flask.login(self.countersign, origin=ORIGIN, **login))
        own = {**login, "on_login": lambda _login, request: (f"welcome from {request.path}", 201)}
        app.post("/own", endpoint="own")(countersign.flask.login(self.countersign, origin=ORIGIN, **own))

        @app.post("/taken")
        def taken() -> Any:
            assert flask.request.form is not None
            return webhook()

        self.http = app.test_client()

    def _log_in(self, login: Any, _request: Any) -> None:
        flask.session["user"] = login.user_id

    def session(self) -> Any:
        with self.http.session_transaction() as session:
            return session.get("user")

    def post(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, str, dict[str, str]]:
        answer = self.http.post(path, data=body, headers=headers)
        return answer.status_code, answer.text, {name.lower(): value for name, value in answer.headers}

    def get(self, path: str) -> int:
        return self.http.get(path).status_code


@pytest.fixture
def phone() -> Phone:
    return Phone(now=World(False).time)


@pytest.fixture
def site(stub: Stub, phone: Phone) -> Any:
    site = Site(stub, phone)
    yield site
    site.countersign.close()


def test_webhooks(site: Site, stub: Stub) -> None:
    key = SigningKey()
    deliveries.publish(stub, key)
    deliveries.webhooks_are_answered(site, key, site.countersign.confirmations.acquire, site.acted)


def test_approvals(site: Site, stub: Stub, phone: Phone) -> None:
    deliveries.approvals_are_answered(site, stub, phone, site.countersign.approvals.start, site.acted)


def test_taken_bodies(site: Site, stub: Stub, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        deliveries.taken_bodies_are_told(site, SigningKey(), "application/x-www-form-urlencoded")
    assert "the raw body is gone" in caplog.text


def test_logins(site: Site, stub: Stub, phone: Phone) -> None:
    deliveries.publish(stub, SigningKey())
    deliveries.logins_are_answered(site, phone, site.session)


def test_own_answers(site: Site, stub: Stub, phone: Phone) -> None:
    deliveries.publish(stub, SigningKey())
    detail = {**phone.detail(), "sessionId": phone.detail()["session_id"]}
    answer = site.http.post("/own", json=detail, headers={"origin": ORIGIN})
    assert (answer.status_code, answer.text) == (201, "welcome from /own")


def test_two_webhooks_and_logins_in_one_app(stub: Stub, phone: Phone) -> None:
    app = flask.Flask(__name__)
    client = Site(stub, phone).countersign
    for number in range(3):
        app.post(f"/webhook/{number}")(countersign.flask.webhook(client, on_verified=lambda _event: None))
        login = {"origin": ORIGIN, "find_key": lambda _id: None, "on_login": lambda _login, _request: None}
        app.post(f"/login/{number}")(countersign.flask.login(client, **login))
    http = app.test_client()
    for number in range(3):
        assert http.post(f"/webhook/{number}").status_code == 403
        assert http.post(f"/login/{number}").status_code == 403
