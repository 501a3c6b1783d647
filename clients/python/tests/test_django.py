"""The handlers in Django, by its own test client, which here checks for CSRF as a browser's server does."""

import io
import logging
from typing import Any

import django
import pytest
from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import path, resolve

import countersign.django
from countersign import Countersign
from support import deliveries
from support.harness import World
from support.phone import APP, ORIGIN, Phone
from support.signing import CONFIRMATION_ID, SigningKey, event
from support.stub import Stub

urlpatterns: list[Any] = []

settings.configure(
    SECRET_KEY="secret",
    ALLOWED_HOSTS=["testserver"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["django.contrib.sessions"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
    ],
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
)
django.setup()


class Site:
    def __init__(self, stub: Stub, phone: Phone) -> None:
        self.acted: list[Any] = []
        self.countersign = Countersign(
            url=stub.url, api_key="cs_live_secret", app_key=APP, webhook_keys="published"
        )
        world = World(asynchronous=False)
        world.install(self.countersign._seam)
        stub.time = world.time
        find_key = {phone.key_id: phone.known}.get
        webhook = countersign.django.webhook(
            self.countersign,
            on_verified=self.acted.append,
            on_approval=self.acted.append,
            find_key=find_key,
        )
        login = {"find_key": find_key, "on_login": self._log_in}
        own = {
            **login,
            "on_login": lambda _login, request: HttpResponse(f"welcome from {request.path}", status=201),
        }

        def taken(request: HttpRequest) -> HttpResponse:
            request.read()
            return webhook(request)

        taken.csrf_exempt = True  # type: ignore[attr-defined]
        urlpatterns[:] = [
            path("webhook", webhook),
            path("taken", taken),
            path("login", countersign.django.login(self.countersign, origin=ORIGIN, **login)),
            path("own", countersign.django.login(self.countersign, origin=ORIGIN, **own)),
        ]
        django.urls.clear_url_caches()
        self.http = Client(enforce_csrf_checks=True)

    def _log_in(self, login: Any, request: HttpRequest) -> None:
        request.session["user"] = login.user_id

    def post(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, str, dict[str, str]]:
        content_type = headers.get("content-type", "application/json")
        headers = {name: value for name, value in headers.items() if name != "content-type"}
        answer = self.http.post("/" + path.lstrip("/"), body, content_type, headers=headers)
        return answer.status_code, answer.content.decode(), {k.lower(): v for k, v in answer.headers.items()}

    def get(self, path: str) -> int:
        return int(self.http.get(path).status_code)


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
        deliveries.taken_bodies_are_told(site, SigningKey(), "application/json")
    assert "the raw body is gone" in caplog.text


def test_logins(site: Site, stub: Stub, phone: Phone) -> None:
    deliveries.publish(stub, SigningKey())
    deliveries.logins_are_answered(site, phone, lambda: site.http.session.get("user"))


def test_own_answers(site: Site, stub: Stub, phone: Phone) -> None:
    deliveries.publish(stub, SigningKey())
    detail = {**phone.detail(), "sessionId": phone.detail()["session_id"]}
    answer = site.http.post("/own", detail, "application/json", headers={"origin": ORIGIN})
    assert (answer.status_code, answer.content) == (201, b"welcome from /own")


@pytest.mark.parametrize("terminated", [True, False])
def test_body_that_came_in_chunks(site: Site, stub: Stub, caplog: Any, terminated: bool) -> None:
    body, key = event(), SigningKey()
    deliveries.publish(stub, key)
    site.countersign.store.remember(CONFIRMATION_ID, 60, lambda: None)
    environ = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in key.headers(body).items()}
    request = WSGIRequest(
        {
            **RequestFactory()._base_environ(),
            **environ,
            "REQUEST_METHOD": "POST",
            "HTTP_TRANSFER_ENCODING": "chunked",
            # As in gunicorn: the stream ends where the body ends.
            "wsgi.input": io.BytesIO(body),
            "wsgi.input_terminated": terminated,
        }
    )
    answer = resolve("/webhook").func(request)
    assert answer.status_code == (200 if terminated else 500)
    assert terminated or "pass the raw body" in caplog.text


def test_endless_chunks_are_not_read_to_their_end(site: Site) -> None:
    class Endless(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            assert 0 < size <= 64 * 1024 + 1
            return b" " * min(size, 1000)

    environ = {**RequestFactory()._base_environ(), "REQUEST_METHOD": "POST", "wsgi.input": Endless()}
    request = WSGIRequest({**environ, "HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True})
    assert resolve("/webhook").func(request).status_code == 413
