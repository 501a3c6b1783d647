"""Tests of logins that the app's server opens, reads and cancels with its API key."""

import base64
import hashlib
from types import SimpleNamespace

import pytest

import http_api
from logins import CHANGED, Browser, Login, Phone, browser_key, sealed, token
from proofs import Registry
from watch import Watch

CONTEXT = "Pay 20 EUR to Zoë"
USER = "zoe@served.example"


class Server:
    """The app's server."""

    def __init__(self, deployment, app):
        self._deployment = deployment
        self._app = app

    def call(self, method, path, body=None, **headers):
        sent = {"x-api-key": self._app.api_key, **headers}
        return http_api.call(self._deployment, method, path, body, sent)

    def open(self, context, user=None):
        """Opens a login with a context for a user, in the browser's place."""
        own = token()
        body = {
            "browserPublicKey": browser_key(),
            "origin": self._app.origin,
            "context": context,
            "publicUserId": user,
        }
        answer = self.call("POST", "/qr-sessions", body, Authorization=f"Bearer {own}")
        assert answer.status == 200, f"{answer.body}\n{self._deployment.log()[-3000:]}"
        return Login(self._deployment, {}, own, answer.json())

    def read(self, login):
        answer = self.call("GET", f"/qr-sessions/{login.id}")
        assert answer.status == 200, answer.body
        return answer.json()


def page_of(deployment, login):
    """Returns the login as its page sees it, which only watches."""
    own = base64.urlsafe_b64decode(login.token + "=")
    digest = hashlib.sha256(b"countersign/login-page-token/1\0" + own).digest()
    watching = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    return Login(deployment, {}, watching, login.opened)


@pytest.fixture
def app(login_apps):
    return login_apps.known


@pytest.fixture
def server(deployment, app):
    return Server(deployment, app)


def test_server_reads_who_approved_what(deployment, app, server):
    key = Registry(deployment, app).new_key(USER)
    login, phone = server.open(CONTEXT), Phone(deployment, app)
    assert phone.initiate(login, publicUserId=USER)["context"] == CONTEXT
    bare = phone.call(login, "confirm", {"payload": sealed(), "encrypted": True})
    assert (bare.status, bare.json()["code"]) == (403, "proof_required")
    proof = key.confirmation(app, login, USER, context=CONTEXT)["proof"]
    phone.confirm(login, sealed(), encrypted=True, proof=proof)
    seen = server.read(login)
    assert (seen["state"], seen["context"]) == ("confirmed", CONTEXT)
    assert (seen["verifiedPublicUserId"], seen["proof"]) == (USER, proof)
    assert login.redeem().json()["proof"] == proof
    assert server.read(login)["state"] == "consumed"


def test_server_cancels_a_login_of_a_page(deployment, app, server):
    login = Browser(deployment, app).open()
    assert server.call("DELETE", f"/qr-sessions/{login.id}").status == 204
    assert login.state() == "cancelled"


def test_server_of_another_app_sees_no_login(deployment, login_apps, server):
    login = server.open(CONTEXT)
    other = Server(deployment, login_apps.strict)
    for method in ("GET", "DELETE"):
        answer = other.call(method, f"/qr-sessions/{login.id}")
        assert (answer.status, answer.json()["code"]) == (404, "session_not_found")
    assert login.state() == "created"


def test_page_watches_an_approval_and_redeems_nothing(deployment, app, server):
    login = server.open(CONTEXT, USER)
    page = page_of(deployment, login)
    watch = Watch(deployment)
    watch.subscribe(page.id, page.token)
    assert watch.next() == CHANGED
    stranger = Phone(deployment, app).call(login, "initiate", {"publicUserId": "max@x.example"})
    assert (stranger.status, stranger.json()["code"]) == (403, "user_mismatch")
    phone, key = Phone(deployment, app), Registry(deployment, app).new_key(USER)
    phone.initiate(login, publicUserId=USER)
    assert watch.next() == CHANGED
    proof = key.confirmation(app, login, USER, context=CONTEXT)["proof"]
    phone.confirm(login, sealed(), encrypted=True, proof=proof)
    assert watch.next() == CHANGED
    assert page.state() == "confirmed"
    for answer in (page.redeem(), page.call("DELETE")):
        assert (answer.status, answer.json()["code"]) == (404, "session_not_found")
    # This app does not require check codes, so the page has nothing to send.
    digits = page.call("POST", "/check-code", body={"checkCode": "42"})
    assert (digits.status, digits.json()["code"]) == (409, "session_confirmed")
    seen = server.read(login)
    assert (seen["state"], seen["expectedPublicUserId"]) == ("confirmed", USER)
    assert (seen["checkCodeRequired"], seen["proof"]) == (False, proof)


def test_login_of_a_test_takes_the_phone_of_a_test(deployment, administration, app, server):
    test_key = administration.issue_test_key("known")
    tests = SimpleNamespace(**{**vars(app), "api_key": test_key})
    tester, registry = Server(deployment, tests), Registry(deployment, tests)
    key = registry.new_key(USER)
    login, phone = tester.open(CONTEXT), Phone(deployment, app)
    refused = phone.call(login, "initiate")
    assert (refused.status, refused.json()["code"]) == (404, "session_not_found")
    bearer = {"Authorization": f"Bearer {phone.token}"}
    opened = tester.call("POST", f"/qr-sessions/{login.id}/initiate", {}, **bearer)
    assert opened.json()["context"] == CONTEXT
    proof = key.confirmation(app, login, USER, context=CONTEXT)["proof"]
    phone.confirm(login, sealed(), encrypted=True, proof=proof)
    seen = server.read(login)
    assert (seen["test"], seen["verifiedPublicUserId"]) == (True, USER)
    assert registry.ids(USER) == [key.id]
    assert key.id not in Registry(deployment, app).ids(USER)

    late = tester.open(CONTEXT)
    tester.call("POST", f"/qr-sessions/{late.id}/initiate", {}, **bearer)
    assert tester.call("POST", f"/qr-sessions/{late.id}/expire").status == 204
    proof = key.confirmation(app, late, USER, context=CONTEXT)["proof"]
    body = {"payload": sealed(), "encrypted": True, "proof": proof}
    refused = phone.call(late, "confirm", body)
    assert (refused.status, refused.json()["code"]) == (410, "session_expired")
    live = server.open(CONTEXT)
    assert tester.call("GET", f"/qr-sessions/{live.id}").status == 404
