"""A function's role is what it needs: without one of its permissions its work fails, and none
is left over."""

import pytest

import http_api
import waiting
from deployment import FUNCTIONS, confirmation_key, login_key
from logins import CHANGED, Browser, Phone, token
from service import PHONE
from watch import Watch


# What Lambda does in a function's name: logs, traces, reading a queue, keeping what failed.
BY_LAMBDA = {
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "xray:PutTelemetryRecords",
    "xray:PutTraceSegments",
    "sqs:DeleteMessage",
    "sqs:ReceiveMessage",
}


def test_no_session_begins_where_the_table_may_not_be_written(deployment, service, receiver):
    body = {"callbackUrl": receiver.new_url()}
    with deployment.without("acquire", "dynamodb:PutItem"):
        answer = service.call("POST", "/acquire-phone-number", body)
        assert answer.status >= 500
        assert answer.headers["content-type"] == "application/problem+json"
    assert service.call("POST", "/acquire-phone-number", body).status == 200


def test_no_webhook_goes_out_that_may_not_be_signed(deployment, service, receiver):
    url = receiver.new_url()
    session = service.acquire(url)
    with deployment.without("dispatcher", "kms:Sign"):
        service.text(session)
        state = service.until_attempted(session, 1)
        assert state["delivery"]["attempts"][0]["failure"] == "signing_failed"
        assert not receiver.received(url)
    webhook, = receiver.wait_for(url)
    service.verify(webhook)


def test_what_could_not_be_sent_is_swept_up(deployment, service, receiver):
    url = receiver.new_url()
    session = service.acquire(url)
    with deployment.without("inbound-sms", "sqs:SendMessage"):
        # The text was taken: what is owed stands in the table.
        assert service.text_over_http(session).status == 200
        assert service.state(session)["status"] == "verified"
    deployment.set_time(confirmation_key(session["confirmationId"]), "due_at", 1)
    deployment.sweep()
    service.verify(receiver.wait_for(url)[0])
    service.until_delivered(session)


@pytest.fixture
def app(login_apps):
    """An app that wants logins, and to be told of them."""
    return login_apps.rights


@pytest.fixture
def browser(deployment, app):
    return Browser(deployment, app)


@pytest.fixture
def phone(deployment, app):
    return Phone(deployment, app)


@pytest.mark.parametrize("action", ["dynamodb:PutItem", "dynamodb:GetItem"])
def test_no_login_begins_or_is_seen_without_the_table(deployment, app, browser, action):
    login = browser.open()
    with deployment.without("qr-session", action):
        answer = browser.ask() if action == "dynamodb:PutItem" else login.call("GET")
        assert answer.status >= 500
        assert answer.headers["content-type"] == "application/problem+json"
        # The page may read that, too.
        assert answer.headers["access-control-allow-origin"] == app.origin
    assert login.state() == "created"


def test_no_phone_opens_a_login_that_may_not_be_written(deployment, browser, phone):
    login = browser.open()
    with deployment.without("qr-session", "dynamodb:UpdateItem"):
        assert phone.call(login, "initiate").status >= 500
    phone.initiate(login)


def test_logins_work_where_browsers_may_not_be_told(deployment, browser, phone):
    login = browser.open()
    watch = login.watch()
    before = deployment.counted("qr-session", "qr_push_failed")
    with deployment.without("qr-session", "execute-api:ManageConnections"):
        phone.initiate(login)
        phone.confirm(login)
    assert watch.close() == []
    assert login.redeem().status == 200
    waiting.until(
        "the metric", lambda: deployment.counted("qr-session", "qr_push_failed") >= before + 2
    )


def test_no_browser_is_answered_that_may_not_be_told(deployment, browser):
    login = browser.open()
    watch = Watch(deployment)
    before = deployment.counted("browser-socket", "qr_push_failed")
    with deployment.without("browser-socket", "execute-api:ManageConnections"):
        watch.subscribe(login.id, login.opened["browserToken"])
        waiting.until(
            "the metric", lambda: deployment.counted("browser-socket", "qr_push_failed") > before
        )
    assert watch.close() == []


def test_no_browser_watches_a_login_that_may_not_be_written(deployment, browser):
    login = browser.open()
    watch = Watch(deployment)
    with deployment.without("browser-socket", "dynamodb:UpdateItem"):
        watch.subscribe(login.id, login.opened["browserToken"])
        assert watch.next() is None


def test_a_login_is_told_of_even_if_the_queue_was_out_of_reach(
    deployment, app, browser, phone, receiver
):
    login = browser.open()
    phone.initiate(login)
    already = len(receiver.received(app.url))
    with deployment.without("qr-session", "sqs:SendMessage"):
        # The decision was taken: what is owed stands in the table.
        phone.confirm(login)
        assert login.state() == "confirmed"
    deployment.set_time(login_key(login.id), "due_at", 1)
    deployment.sweep()
    webhook = receiver.wait_for(app.url, already + 1)[-1]
    assert login.id.encode() in webhook.body


def other_partition(statements):
    """The right to list, of something else than apps."""
    for statement in statements:
        if "dynamodb:Query" in statement["Action"]:
            statement["Condition"]["ForAllValues:StringEquals"]["dynamodb:LeadingKeys"] = ["KEYS"]
    return statements


def nothing_listed(statements):
    return [s for s in statements if "dynamodb:Query" not in s["Action"]]


@pytest.mark.parametrize("change", [nothing_listed, other_partition])
@pytest.mark.usefixtures("login_apps")
def test_hosts_of_links_are_found_by_listing_apps_alone(deployment, change):
    host = f"{change.__name__.replace('_', '-')}.example"
    deployment.serve_host(host)

    def asked():
        return http_api.call(deployment, "GET", "/", headers={"Host": host}).status

    # It is nobody's, which is believed for five seconds after the apps were read.
    assert asked() == 404
    with deployment.with_rights("qr-session", change):
        waiting.until("a read that is refused", lambda: asked() >= 500)
    assert asked() == 404


def test_every_permission_is_used(deployment, proxy, service, receiver, app, browser, phone):
    """Each function does all that it ever does; then its calls are held against its role."""
    url = receiver.new_url(500)
    for session, bring in (
        (service.acquire(url), service.text),
        (service.confirm(PHONE, url), service.text_over_http),
    ):
        bring(session)
        service.until_delivered(session)
        again = f"/confirmations/{session['confirmationId']}/redeliver"
        assert service.call("POST", again).status in (200, 202)
        service.until_delivered(session)
    service.public_key()
    deployment.sweep()

    login, already = browser.open(), len(receiver.received(app.url))
    watch = login.watch()
    phone.initiate(login, publicUserId="somebody@rights.example")
    assert watch.next() == CHANGED
    phone.confirm(login)
    watch.close()
    login.redeem()
    receiver.wait_for(app.url, already + 1)
    refused = Watch(deployment)
    refused.subscribe(login.id, token())
    assert refused.next() is None

    used = {}
    for call in proxy.calls():
        if call.status in (200, 204):
            function = deployment.signer(call.caller)
            used.setdefault(function, set()).add(f"{call.service}:{call.operation}")
    granted = {function: deployment.granted(function) - BY_LAMBDA for function in used}
    assert granted == used
    assert set(granted) == set(FUNCTIONS)
