"""Tests of logins: the page's requests, the phone's decision, the socket, webhooks, metrics and logs."""

import json

import pytest

import http_api
import waiting
from deployment import STACK
from http_api import lasting
from logins import CHANGED, Browser, Login, Phone, browser_key, sealed, token, viewer
from proofs import AssociationKey
from watch import Watch


@pytest.fixture
def app(login_apps):
    """An app whose page may open logins."""
    return login_apps.plain


@pytest.fixture
def browser(deployment, app):
    return Browser(deployment, app)


@pytest.fixture
def phone(deployment, app):
    return Phone(deployment, app)


def test_page_redeems_the_payload_that_the_phone_confirmed(deployment, app, browser, phone):
    login = browser.open()
    assert login.opened["url"] == f"https://{app.host}?sessionId={login.id}"
    assert login.opened["socketUrl"] == deployment.outputs["SocketUrl"]
    watch = login.watch()
    assert login.state() == "created"

    shown = phone.initiate(login, publicUserId="somebody@plain.example")
    assert watch.next() == CHANGED
    assert login.state() == "scanned"
    assert shown["origin"] == app.origin
    screen = shown["session"]["mobileTemplateResponse"]
    assert "plain.example" in screen["title"]
    assert "Firefox" in screen["userAgent"]["name"]

    phone.confirm(login, payload="signed by the app")
    assert watch.next() == CHANGED
    assert login.state() == "confirmed"

    taken = login.redeem()
    assert (taken.status, taken.json()) == (
        200,
        {"payload": "signed by the app", "encrypted": False},
    )
    again = login.redeem()
    assert (again.status, again.json()["code"]) == (409, "session_redeemed")
    assert login.state() == "consumed"
    assert set(watch.close()) <= {CHANGED}


def test_encrypted_payload_is_redeemed_again_with_the_same_receipt(app, browser, phone):
    login = browser.open(browser_key())
    assert login.id.startswith("qrs_")
    phone.initiate(login)
    proof = AssociationKey().confirmation(app, login, "somebody@plain.example")["proof"]
    confirmed = {"payload": sealed(), "encrypted": True, "proof": proof}
    phone.confirm(login, **confirmed)
    phone.confirm(login, **confirmed)
    for _ in range(2):
        taken = login.redeem()
        assert (taken.status, taken.json()) == (200, confirmed)
    other = login.redeem(token())
    assert (other.status, other.json()["code"]) == (409, "session_redeemed")


def test_page_that_lost_the_answer_gets_the_same_login(browser):
    own, key = token(), browser_key()
    first = browser.ask(own, key)
    again = browser.ask(own, key)
    assert (again.status, lasting(again)) == (200, lasting(first))
    taken = browser.ask(token(), key)
    assert (taken.status, taken.json()["code"]) == (409, "session_exists")


def test_cancelled_login_is_not_created_again(browser):
    login = browser.open()
    assert login.call("DELETE").status == 204
    again = browser.ask(login.token)
    assert (again.status, again.json()["code"]) == (410, "session_over")


def test_phone_that_finds_another_key_blocks_the_login(deployment, browser, phone):
    login = browser.open(browser_key())
    watch = login.watch()
    phone.initiate(login)
    assert watch.next() == CHANGED
    phone.deny(login, payload="", reason="key_mismatch")
    assert watch.next() == CHANGED
    watch.close()
    assert login.state() == "blocked"
    waiting.until("the metric", lambda: deployment.counted("qr-session", "qr_key_mismatch"))


def test_phone_learns_that_the_browser_cancelled(deployment, browser, phone):
    login = browser.open()
    phone.initiate(login)
    watch = Watch(deployment)
    watch.subscribe(login.id, phone.token)
    assert watch.next() == CHANGED
    assert phone.state(login) == "scanned"
    assert login.call("DELETE").status == 204
    assert watch.next() == CHANGED
    watch.close()
    assert phone.state(login) == "cancelled"


def test_phone_cannot_repeat_initiate_as_another_user(browser, phone):
    login = browser.open()
    phone.initiate(login, publicUserId="one@plain.example")
    phone.initiate(login, publicUserId="one@plain.example")
    other = phone.call(login, "initiate", {"publicUserId": "two@plain.example"})
    assert (other.status, other.json()["code"]) == (409, "session_initiated_differently")


def test_page_learns_that_the_phone_denied(browser, phone):
    login = browser.open()
    watch = login.watch()
    phone.initiate(login)
    phone.deny(login)
    assert [watch.next(), watch.next()] == [CHANGED, CHANGED]
    watch.close()
    assert login.state() == "denied"
    assert login.redeem().json()["code"] == "session_denied"


def test_second_phone_blocks_the_login_and_is_counted(deployment, app, browser, phone):
    login = browser.open()
    watch = login.watch()
    phone.initiate(login)
    assert watch.next() == CHANGED
    before = deployment.counted("qr-session", "qr_second_phone")
    second = Phone(deployment, app).call(login, "initiate")
    assert second.status == 409, second.body
    assert watch.next() == CHANGED
    watch.close()
    assert login.state() == "blocked"
    waiting.until(
        "the metric", lambda: deployment.counted("qr-session", "qr_second_phone") == before + 1
    )


def test_cancelled_login_cannot_be_opened(browser, phone):
    login = browser.open()
    assert login.call("DELETE").status == 204
    assert login.state() == "cancelled"
    assert phone.call(login, "initiate").status == 409


def test_unconfirmed_login_is_not_redeemed(browser):
    login = browser.open()
    assert login.state() == "created"
    assert login.redeem().json()["code"] == "session_not_confirmed"


def test_version_in_the_path_is_not_found(deployment, app):
    headers = {"x-app-key": app.key, "Origin": app.origin}
    answer = http_api.call(deployment, "POST", "/v1/qr-sessions", {}, headers)
    assert (answer.status, answer.json()["code"]) == (404, "not_found")


def test_unchanged_login_gets_not_modified(browser):
    login = browser.open()
    first = login.call("GET")
    again = login.call("GET", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


def test_function_answers_cors_preflights(deployment):
    for path in ("/qr-sessions", "/qr-sessions/qrs_0/redeem", "/qr-sessions/qrs_0"):
        asked = {
            "Origin": "https://anywhere.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type,x-app-key",
        }
        answer = http_api.call(deployment, "OPTIONS", path, headers=asked)
        assert answer.status == 204, answer.body
        assert answer.headers["access-control-allow-origin"] == "https://anywhere.example"
        assert "x-app-key" in answer.headers["access-control-allow-headers"]
        assert "access-control-allow-credentials" not in answer.headers


def test_unlisted_origin_gets_no_login(deployment, app):
    answer = Browser(deployment, app, origin="https://else.example").ask()
    assert (answer.status, answer.json()["code"]) == (403, "origin_not_allowed")
    # The page may read the problem.
    assert answer.headers["access-control-allow-origin"] == "https://else.example"
    assert "etag" in answer.headers["access-control-expose-headers"].lower()
    assert "origin" in answer.headers["vary"].lower()


def test_page_opens_no_login_of_an_app_that_leaves_it_to_its_server(deployment, login_apps):
    app = login_apps.closed
    refused = Browser(deployment, app).ask()
    assert (refused.status, refused.json()["code"]) == (403, "login_server_only")
    # The page may read the problem.
    assert refused.headers["access-control-allow-origin"] == app.origin
    own, key = token(), browser_key()
    headers = {"x-api-key": app.api_key, "Authorization": f"Bearer {own}"}
    body = {"browserPublicKey": key, "origin": app.origin}
    opened = http_api.call(deployment, "POST", "/qr-sessions", body, viewer(deployment) | headers)
    assert opened.status == 200, opened.body
    # The page with the key and the token joins, and the phone shows the page's browser.
    joined = Browser(deployment, app).ask(own, key)
    assert (joined.status, joined.json()["sessionId"]) == (200, opened.json()["sessionId"])
    login = Login(deployment, {}, own, joined.json())
    shown = Phone(deployment, app).initiate(login)
    assert "Firefox" in shown["session"]["mobileTemplateResponse"]["userAgent"]["name"]


def test_logins_are_listed_newest_first(deployment, app, browser):
    opened = [browser.open().id for _ in range(2)]

    def listed():
        headers = {"x-api-key": app.api_key}
        page = http_api.call(deployment, "GET", "/qr-sessions?limit=2", headers=headers).json()
        return [login["sessionId"] for login in page["sessions"]] == opened[::-1]

    # The index follows the table.
    waiting.until("the list", listed)


@pytest.mark.parametrize(
    ("headers", "status"),
    [({}, 401), ({"Authorization": f"Bearer {token()}"}, 404)],
)
def test_session_id_without_its_token_gives_no_access(deployment, browser, headers, status):
    login = browser.open()
    for method, action in (("GET", ""), ("POST", "/redeem"), ("DELETE", "")):
        path = f"/qr-sessions/{login.id}{action}"
        body = {"receipt": token()} if action == "/redeem" else None
        seen = viewer(deployment) | headers
        answer = http_api.call(deployment, method, path, body, headers=seen)
        assert answer.status == status, (method, action, answer.body)
    assert login.state() == "created"


# --- the socket ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        "",
        "{",
        "{}",
        '{"action":"$disconnect"}',
        '{"action":"$connect","sessionId":"qrs_0","token":"x"}',
        json.dumps({"sessionId": "qrs_" + 32 * "0", "token": token()}),
    ],
)
def test_socket_closes_on_a_message_that_names_no_login(deployment, message):
    watch = Watch(deployment)
    watch.say(message)
    assert watch.next() is None


def test_login_cannot_be_watched_with_a_wrong_token(deployment, browser, phone):
    login = browser.open()
    # The phone has not opened the login.
    for wrong in (token(), phone.token):
        watch = Watch(deployment)
        watch.subscribe(login.id, wrong)
        assert watch.next() is None


def test_disconnected_browser_is_poked_only_once(deployment, proxy, browser, phone):
    login = browser.open()
    watch = login.watch()
    connection, = deployment.watchers(login.id)
    assert deployment.is_connected(connection)
    watch.close()
    waiting.until("the end of the connection", lambda: not deployment.is_connected(connection))
    with proxy.counting() as calls:
        phone.initiate(login)
    assert statuses(calls) == [410]
    with proxy.counting() as calls:
        phone.confirm(login)
    assert statuses(calls) == []


def test_every_watching_connection_is_poked(browser, phone):
    login = browser.open()
    watches = [login.watch(), login.watch()]
    phone.initiate(login)
    assert [watch.next() for watch in watches] == [CHANGED, CHANGED]
    for watch in watches:
        watch.close()


def statuses(calls):
    """Returns the status codes with which the socket's API answered to pokes."""
    return [call.status for call in calls if call.service == "execute-api"]


# --- webhooks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decision", "event", "payload"),
    [("confirm", "login.confirmed", "yes"), ("deny", "login.denied", "no")],
)
def test_decision_is_delivered_by_a_signed_webhook(
    deployment, login_apps, service, receiver, decision, event, payload
):
    app = login_apps.notified
    login, phone = Browser(deployment, app).open(), Phone(deployment, app)
    phone.initiate(login, publicUserId="somebody@told.example")
    getattr(phone, decision)(login)
    # The first attempt fails, and the second sends the same webhook.
    first, second = receiver.wait_about(app.url, login.id, 2)
    assert first.body == second.body
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    body = service.verify(second)
    assert body == {
        "claimedPublicUserId": "somebody@told.example",
        "event": event,
        "payload": payload,
        "result": event.removeprefix("login."),
        "sessionId": login.id,
        "timestamp": body["timestamp"],
    }
    # A delivered webhook is no longer due.
    waiting.until("the settled webhook", lambda: "due_at" not in deployment.login(login.id))


# --- metrics, logs and items ----------------------------------------------------------------------


def test_events_of_logins_are_in_the_metrics(deployment, browser, phone):
    login = browser.open()
    phone.initiate(login)
    phone.confirm(login)
    assert login.redeem().status == 200
    for name in ("qr_created", "qr_scanned", "qr_confirmed", "qr_redeemed"):
        waiting.until(name, lambda name=name: deployment.counted("qr-session", name))
    line = next(line for line in deployment.lines("qr-session") if line.get("qr_created"))
    assert line["Deployment"] == STACK


def test_logs_of_logins_hold_no_secret(deployment, browser, phone):
    login = browser.open()
    watch = login.watch()
    phone.initiate(login, publicUserId="whoever@plain.example")
    phone.confirm(login, payload="what the page gets")
    assert login.redeem().status == 200
    watch.close()
    written = json.dumps([deployment.lines(f) for f in ("qr-session", "browser-socket")])
    assert login.id in written
    for secret in (
        login.token,
        login.receipt,
        phone.token,
        "what the page gets",
        "whoever@plain.example",
        deployment.origin_secret,
    ):
        assert secret not in written


def test_login_items_carry_a_ttl_and_no_token(deployment, browser):
    login = browser.open()
    item = deployment.login(login.id)
    assert int(item["ttl"]["N"]) > 0
    # The token is stored only as a hash.
    assert login.token not in json.dumps(item, default=str)
