"""The tests of examples/shop.py, as a shop's CI runs them: a test key, a test phone, and the real service."""

import importlib.util
import secrets
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from countersign import Countersign, PhoneRefusedError, ProblemError
from countersign.testing import TestPhone, start_test_login
from support.receiver import Receiver
from support.service import RealService

EXAMPLE = Path(__file__).resolve().parent.parent / "examples/shop.py"


def load_example() -> Any:
    found = importlib.util.spec_from_file_location("shop_example", EXAMPLE)
    assert found and found.loader
    module = sys.modules[found.name] = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


example = load_example()
CONTEXT = example.CONTEXT


@dataclass
class Reply:
    status: int
    body: str


class Shop:
    """The shop with a test key, its tables, and a browser."""

    def __init__(self, service: RealService, receiver: Receiver) -> None:
        self.origin = service.url
        self.client = Countersign(
            url=service.url,
            api_key=service.test_key,
            app_key=service.app_key,
            webhook_secret=service.run("app", "webhook-secret", "demo")["webhookSecrets"],
        )
        self.tables = example.Tables()
        app = example.shop(self.client, self.tables, origin=self.origin, webhook_url=receiver.url)
        self.browser = app.test_client()
        self._webhooks = app.test_client()
        receiver.handler = self._deliver

    def _deliver(self, method: str, headers: Any, body: bytes) -> Any:
        answer = self._webhooks.open("/webhook", method=method, headers=list(headers), data=body)
        return Reply(answer.status_code, answer.text)

    def post(self, path: str, body: Any = None, origin: str | None = None) -> Any:
        return self.browser.post(path, json=body, headers={"origin": origin or self.origin})

    def phone(self, user_id: str = "zoe") -> TestPhone:
        """Returns the phone of a user whose key the shop knows."""
        phone = TestPhone(self.client, user_id=user_id)
        self.tables.phone_keys[phone.key_id] = phone.known_key
        return phone

    def open_login(self, phone: TestPhone) -> Any:
        return phone.open(start_test_login(self.client, origin=self.origin).url)

    def log_in(self, detail: Any) -> int:
        return self.post("/login", detail).status_code

    @property
    def user(self) -> Any:
        with self.browser.session_transaction() as session:
            return session.get("user")

    def pay(self) -> Any:
        """Starts a payment of Zoë, and returns what her page gets."""
        with self.browser.session_transaction() as session:
            session["user"] = "zoe"
        return self.post("/pay").json

    @property
    def payment(self) -> Any:
        return self.post("/paid").json["payment"]


@pytest.fixture
def shop(service: RealService, receiver: Receiver) -> Iterator[Shop]:
    shop = Shop(service, receiver)
    yield shop
    shop.client.close()


def test_user_logs_in_once(shop: Shop) -> None:
    opened = shop.open_login(shop.phone())
    assert (opened.origin, opened.context) == (shop.origin, None)
    detail = opened.confirm("a token")
    assert shop.log_in({**detail, "payload": "another"}) == 403
    assert shop.user is None
    assert shop.log_in(detail) == 200
    assert shop.user == "zoe"
    assert shop.log_in(detail) == 403


def test_key_that_the_shop_does_not_know_is_refused(shop: Shop) -> None:
    stranger = TestPhone(shop.client, user_id="zoe")
    detail = shop.open_login(stranger).confirm()
    assert (shop.log_in(detail), shop.user) == (403, None)


def test_key_of_another_user_is_refused(shop: Shop) -> None:
    mallory = shop.phone("mallory")
    opened = shop.open_login(shop.phone())
    detail = opened.confirm(sign_with=mallory)
    assert (shop.log_in(detail), shop.user) == (403, None)


def test_denied_login_is_denied(shop: Shop) -> None:
    login = start_test_login(shop.client, origin=shop.origin)
    shop.phone().open(login.url).deny("not me")
    assert shop.client.logins.get(login.session_id).state == "denied"


def test_late_login_is_refused(shop: Shop) -> None:
    opened = shop.open_login(shop.phone())
    with pytest.raises(ProblemError) as raised:
        opened.confirm_late()
    assert (raised.value.status, raised.value.code) == (410, "session_expired")


def test_payment_is_approved_once(shop: Shop) -> None:
    session = shop.pay()
    assert shop.payment == "open"
    opened = shop.phone().open(session["url"])
    assert (opened.origin, opened.context) == (shop.origin, CONTEXT)
    assert shop.payment == "open"
    opened.confirm()
    assert shop.payment == "approved"
    assert shop.client.approvals.result(session["sessionId"]).status == "already_reported"


def test_page_watches_and_can_do_nothing_else(shop: Shop) -> None:
    session = shop.pay()
    headers = {"authorization": f"Bearer {session['token']}"}
    url = f"{shop.origin}/qr-sessions/{session['sessionId']}"
    assert httpx.get(url, headers=headers).json()["state"] == "created"
    shop.phone().open(session["url"]).confirm()
    assert httpx.get(url, headers=headers).json()["state"] == "confirmed"
    receipt = {"receipt": secrets.token_urlsafe(16)}
    assert httpx.post(f"{url}/redeem", headers=headers, json=receipt).status_code == 404
    assert httpx.delete(url, headers=headers).status_code == 404
    assert shop.payment == "approved"


def test_denied_payment(shop: Shop) -> None:
    shop.phone().open(shop.pay()["url"]).deny()
    assert shop.payment == "denied"


def test_payment_confirmed_with_a_wrong_key(shop: Shop) -> None:
    opened = shop.phone().open(shop.pay()["url"])
    opened.confirm(sign_with=TestPhone(shop.client, user_id="zoe"))
    assert shop.payment == "denied"


def test_late_approval_expires(shop: Shop) -> None:
    opened = shop.phone().open(shop.pay()["url"])
    with pytest.raises(ProblemError) as raised:
        opened.confirm_late()
    assert (raised.value.status, raised.value.code) == (410, "session_expired")
    assert shop.payment == "expired"


def test_cancelled_payment_expires(shop: Shop) -> None:
    session = shop.pay()
    shop.client.logins.cancel(session["sessionId"])
    assert shop.payment == "expired"


def test_another_user_cannot_open_the_payment(shop: Shop) -> None:
    session = shop.pay()
    with pytest.raises(ProblemError) as raised:
        shop.phone("mallory").open(session["url"])
    assert (raised.value.status, raised.value.code) == (403, "user_mismatch")
    # It has not stopped the payment either.
    shop.phone().open(session["url"]).confirm()
    assert shop.payment == "approved"


def test_second_phone_blocks_the_payment(shop: Shop) -> None:
    session = shop.pay()
    shop.phone().open(session["url"])
    with pytest.raises(ProblemError) as raised:
        shop.phone().open(session["url"])
    assert raised.value.status == 409
    assert shop.payment == "denied"


def test_phone_refuses_what_is_no_link_of_a_login(shop: Shop) -> None:
    with pytest.raises(PhoneRefusedError):
        shop.phone().open("https://shop.example/pay")


def test_live_logins_are_hidden_from_test_phones(shop: Shop, service: RealService) -> None:
    with Countersign(url=service.url, api_key=service.api_key, app_key=service.app_key) as live:
        approval = live.approvals.start(origin=service.url, context=CONTEXT, user_id="zoe")
        with pytest.raises(ProblemError) as raised:
            shop.phone().open(approval.session["url"])
    assert (raised.value.status, raised.value.code) == (404, "session_not_found")


def test_payment_whose_page_was_closed_is_approved(
    shop: Shop, service: RealService, receiver: Receiver
) -> None:
    service.run("app", "update", "demo", "--login-callback", receiver.url)
    session = shop.pay()
    shop.phone().open(session["url"]).confirm()
    assert receiver.next() == (200, "accepted")
    assert shop.tables.payments == {session["sessionId"]: "approved"}
    service.run("app", "update", "demo", "--no-login-callback")


def test_number_is_verified_and_starts_are_limited(shop: Shop, receiver: Receiver) -> None:
    typed = {"phoneNumber": "(500) 555-0001", "country": "US"}
    started = shop.post("/number", typed)
    assert started.json["phoneNumber"] == "+15005550001"
    assert receiver.next() == (200, "accepted")
    assert shop.tables.numbers == {started.json["confirmationId"]: "+15005550001"}
    assert [shop.post("/number", typed).status_code for _ in range(4)] == [200] * 4
    refused = shop.post("/number", typed)
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 600


def test_other_pages_start_nothing(shop: Shop) -> None:
    for path in ("/number", "/pay", "/paid", "/login"):
        assert shop.post(path, {}, origin="https://evil.example").status_code == 403
    assert shop.tables == example.Tables()
