"""A shop's own tests of its login and its approvals, as its CI runs them: a test key, a test phone, and the real service."""

import secrets
from collections.abc import Iterator
from typing import Any

import flask
import httpx
import pytest

import countersign.flask
from countersign import Approval, Countersign, Decided, KnownKey, Login, PhoneRefusedError, ProblemError
from countersign.testing import TestPhone, start_test_login
from support.service import RealService

CONTEXT = "Pay 20 EUR to Zoë"


class Shop:
    """A service whose users log in by phone and approve payments. Its tests have its client and its tables."""

    def __init__(self, service: RealService) -> None:
        self.origin = service.url
        self.client = Countersign(url=service.url, api_key=service.test_key, app_key=service.app_key)
        self.phone_keys: dict[str, KnownKey] = {}
        self.payments: dict[str, str] = {}
        self.find_key: Any = self.phone_keys.get
        app = flask.Flask(__name__)
        app.secret_key = "secret"
        app.post("/login")(
            countersign.flask.login(
                self.client, origin=self.origin, find_key=self.phone_keys.get, on_login=self._log_in
            )
        )
        app.post("/pay")(self._pay)
        app.post("/paid")(self._paid)
        app.get("/user")(lambda: {"user": flask.session.get("user")})
        self.browser = app.test_client()

    def _log_in(self, login: Login, _request: Any) -> None:
        flask.session["user"] = login.user_id

    def _pay(self) -> Any:
        def record(approval: Approval) -> None:
            self.payments[approval.id] = "open"

        approval = self.client.approvals.start(
            origin=self.origin, context=CONTEXT, user_id="zoe", on_started=record
        )
        flask.session["payment"] = approval.id
        return approval.session

    def _paid(self) -> Any:
        def record(result: Decided) -> None:
            self.payments[result.id] = result.status if result.status == "approved" else result.reason

        id = flask.session["payment"]
        options = {} if self.find_key is None else {"find_key": self.find_key}
        self.client.approvals.result(id, on_result=record, **options)
        return {"payment": self.payments[id]}

    def phone(self, user_id: str = "zoe") -> TestPhone:
        """Returns the phone of a user whose key the shop knows."""
        phone = TestPhone(self.client, user_id=user_id)
        self.phone_keys[phone.key_id] = phone.known_key
        return phone

    def log_in(self, detail: Any) -> int:
        return self.browser.post("/login", json=detail, headers={"origin": self.origin}).status_code

    @property
    def user(self) -> Any:
        return self.browser.get("/user").json["user"]

    def pay(self) -> Any:
        return self.browser.post("/pay").json

    @property
    def payment(self) -> Any:
        return self.browser.post("/paid").json["payment"]


@pytest.fixture
def shop(service: RealService) -> Iterator[Shop]:
    shop = Shop(service)
    yield shop
    shop.client.close()


def test_user_logs_in_once(shop: Shop) -> None:
    opened = shop.phone().open(start_test_login(shop.client, origin=shop.origin).url)
    assert (opened.origin, opened.context) == (shop.origin, None)
    detail = opened.confirm("a token")
    assert shop.log_in({**detail, "payload": "another"}) == 403
    assert shop.user is None
    assert shop.log_in(detail) == 200
    assert shop.user == "zoe"
    assert shop.log_in(detail) == 403


def test_key_that_the_shop_does_not_know_is_refused(shop: Shop) -> None:
    stranger = TestPhone(shop.client, user_id="zoe")
    detail = stranger.open(start_test_login(shop.client, origin=shop.origin).url).confirm()
    assert (shop.log_in(detail), shop.user) == (403, None)


def test_key_of_another_user_is_refused(shop: Shop) -> None:
    mallory = shop.phone("mallory")
    opened = shop.phone().open(start_test_login(shop.client, origin=shop.origin).url)
    detail = opened.confirm(sign_with=mallory)
    assert (shop.log_in(detail), shop.user) == (403, None)


def test_denied_login_is_denied(shop: Shop) -> None:
    login = start_test_login(shop.client, origin=shop.origin)
    shop.phone().open(login.url).deny("not me")
    assert shop.client.logins.get(login.session_id).state == "denied"


def test_late_login_is_refused(shop: Shop) -> None:
    opened = shop.phone().open(start_test_login(shop.client, origin=shop.origin).url)
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
    assert shop.payment == "unverified"


def test_late_approval_expires(shop: Shop) -> None:
    opened = shop.phone().open(shop.pay()["url"])
    with pytest.raises(ProblemError) as raised:
        opened.confirm_late()
    assert (raised.value.status, raised.value.code) == (410, "session_expired")
    assert shop.payment == "expired"


def test_cancelled_payment_expires(shop: Shop) -> None:
    session = shop.pay()
    shop.client.logins.cancel(session["sessionId"])
    assert shop.payment == "cancelled"


def test_another_user_cannot_open_the_payment(shop: Shop) -> None:
    session = shop.pay()
    with pytest.raises(ProblemError) as raised:
        shop.phone("mallory").open(session["url"])
    assert (raised.value.status, raised.value.code) == (403, "user_mismatch")
    # It has not stopped the payment, either.
    shop.phone().open(session["url"]).confirm()
    assert shop.payment == "approved"


def test_second_phone_blocks_the_payment(shop: Shop) -> None:
    session = shop.pay()
    shop.phone().open(session["url"])
    with pytest.raises(ProblemError) as raised:
        shop.phone().open(session["url"])
    assert raised.value.status == 409
    assert shop.payment == "blocked"


def test_phone_refuses_what_is_no_link_of_a_login(shop: Shop) -> None:
    with pytest.raises(PhoneRefusedError):
        shop.phone().open("https://shop.example/pay")


def test_live_logins_are_hidden_from_test_phones(shop: Shop, service: RealService) -> None:
    with Countersign(url=service.url, api_key=service.api_key, app_key=service.app_key) as live:
        approval = live.approvals.start(origin=service.url, context=CONTEXT, user_id="zoe")
        with pytest.raises(ProblemError) as raised:
            shop.phone().open(approval.session["url"])
    assert (raised.value.status, raised.value.code) == (404, "session_not_found")


def test_registered_keys_count(shop: Shop) -> None:
    shop.find_key = None
    phone = TestPhone(shop.client, user_id="zoe")
    opened = phone.open(shop.pay()["url"])
    assert phone.register() == phone.key_id
    opened.confirm()
    assert shop.payment == "approved"
