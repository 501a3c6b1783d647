"""Tests of logins that the app's server opens, reads and cancels with its API key."""

import pytest

import http_api
from logins import Browser, Login, Phone, browser_key, sealed, token
from proofs import Registry

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

    def open(self, context):
        """Opens a login with a context, in the browser's place."""
        own = token()
        body = {"browserPublicKey": browser_key(), "origin": self._app.origin, "context": context}
        answer = self.call("POST", "/qr-sessions", body, Authorization=f"Bearer {own}")
        assert answer.status == 200, f"{answer.body}\n{self._deployment.log()[-3000:]}"
        return Login(self._deployment, {}, own, answer.json())

    def read(self, login):
        answer = self.call("GET", f"/qr-sessions/{login.id}")
        assert answer.status == 200, answer.body
        return answer.json()


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
