"""Tests of each function's role: without one of its permissions its work fails, and no permission is
unused."""

import contextlib
import uuid

import pytest

import http_api
import waiting
from conftest import APP
from deployment import FUNCTIONS, confirmation_key, login_key, registration_key
from logins import CHANGED, Browser, Phone, token
from openid import Client
from phones import PATH, Registration, WebPhone, identify, set_up
from proofs import AssociationKey, Passkey, Registry
from service import PHONE, SENDER, VERIFIED_AT_ONCE, Service, sent
from watch import Watch


# Actions that Lambda itself performs with a function's role: writing logs and reading queues.
BY_LAMBDA = {
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "sqs:DeleteMessage",
    "sqs:ReceiveMessage",
}


def test_acquisition_fails_without_write_access_to_the_table(deployment, service, receiver):
    body = {"callbackUrl": receiver.new_url()}
    with deployment.without("acquire", "dynamodb:PutItem"):
        answer = service.call("POST", "/acquire-phone-number", body)
        assert answer.status >= 500
        assert answer.headers["content-type"] == "application/problem+json"
    assert service.call("POST", "/acquire-phone-number", body).status == 200


def test_unsigned_webhook_is_not_sent(deployment, service, receiver):
    url = receiver.new_url()
    session = service.acquire(url)
    with deployment.without("dispatcher", "kms:Sign"):
        service.text(session)
        state = service.until_attempted(session, 1)
        assert state["delivery"]["attempts"][0]["failure"] == "signing_failed"
        assert not receiver.received(url)
    webhook, = receiver.wait_for(url)
    service.verify(webhook)


def test_failed_attempt_comes_late_without_the_right_to_say_when(deployment, service, receiver):
    def warned():
        return any("cannot hand a message out soon" in str(line) for line in deployment.lines("dispatcher"))

    session = service.acquire(receiver.new_url())
    assert not warned()
    with (
        deployment.without_sweep(),
        deployment.without("dispatcher", "sqs:ChangeMessageVisibility"),
        deployment.without("dispatcher", "dynamodb:UpdateItem"),
    ):
        service.text(session)
        waiting.until("the warning", warned)
    # From now on, only the sweep can find it.
    deployment.make_due(confirmation_key(session["confirmationId"]))
    deployment.sweep()
    service.until_delivered(session)


def test_sweep_delivers_what_could_not_be_queued(deployment, service, receiver):
    url = receiver.new_url()
    session = service.acquire(url)
    with deployment.without("inbound-sms", "sqs:SendMessage"):
        # The text was accepted, and the table contains the pending webhook.
        assert service.text_over_http(session).status == 200
        assert service.state(session)["status"] == "verified"
    deployment.make_due(confirmation_key(session["confirmationId"]))
    deployment.sweep()
    service.verify(receiver.wait_for(url)[0])
    service.until_delivered(session)


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        ("dynamodb:PutItem", "NONCE#*"),
        ("dynamodb:PutItem", "TEXT#*"),
        ("dynamodb:GetItem", "TEXT#*"),
        ("dynamodb:UpdateItem", "TEXT#*"),
    ],
)
def test_call_is_not_taken_if_it_cannot_be_remembered(
    deployment, service, providers, receiver, action, kind
):
    session = service.acquire(receiver.new_url())

    def bring():
        text = sent(session)
        return providers.plivo(text) if kind == "NONCE#*" else providers.vonage_parts(text)[1]

    with deployment.without_kind("inbound-sms", action, kind):
        assert bring().status == 503
        assert service.state(session)["status"] == "open"
    assert bring().status == 200
    assert service.state(session)["status"] == "verified"


def test_settings_of_providers_need_their_right(deployment, service, rotated, receiver):
    def bring():
        return rotated.generic(sent(service.acquire(receiver.new_url()))).status

    with deployment.without("inbound-sms", "secretsmanager:GetSecretValue"):
        # A running process keeps the last settings, and a new process cannot start.
        assert bring() == 200
        deployment.restart("inbound-sms")
        assert bring() >= 500
    deployment.restart("inbound-sms")
    assert bring() == 200


def test_webhooks_leave_only_with_the_right_to_their_secret(deployment, service, receiver):
    session = service.acquire(receiver.new_url())
    with deployment.without("dispatcher", "secretsmanager:GetSecretValue"):
        deployment.restart("dispatcher")
        service.text(session)
        service.until_verified(session)
        assert service.state(session)["delivery"]["attempts"] == []
    deployment.restart("dispatcher")
    deployment.make_due(confirmation_key(session["confirmationId"]))
    deployment.sweep()
    service.until_delivered(session)


@pytest.fixture
def app(login_apps):
    """An app with logins and a callback for them."""
    return login_apps.rights


@pytest.fixture
def browser(deployment, app):
    return Browser(deployment, app)


@pytest.fixture
def phone(deployment, app):
    return Phone(deployment, app)


@pytest.mark.parametrize("action", ["dynamodb:PutItem", "dynamodb:GetItem"])
def test_login_requests_fail_without_access_to_the_table(deployment, app, browser, action):
    login = browser.open()
    with deployment.without("qr-session", action):
        answer = browser.ask() if action == "dynamodb:PutItem" else login.call("GET")
        assert answer.status >= 500
        assert answer.headers["content-type"] == "application/problem+json"
        # The page may also read this problem.
        assert answer.headers["access-control-allow-origin"] == app.origin
    assert login.state() == "created"


def test_initiate_fails_without_write_access_to_the_table(deployment, browser, phone):
    login = browser.open()
    with deployment.without("qr-session", "dynamodb:UpdateItem"):
        assert phone.call(login, "initiate").status >= 500
    phone.initiate(login)


def test_login_works_without_the_right_to_poke_browsers(deployment, browser, phone):
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


def test_failed_poke_of_a_new_watcher_is_counted(deployment, browser):
    login = browser.open()
    watch = Watch(deployment)
    before = deployment.counted("browser-socket", "qr_push_failed")
    with deployment.without("browser-socket", "execute-api:ManageConnections"):
        watch.subscribe(login.id, login.token)
        waiting.until(
            "the metric", lambda: deployment.counted("browser-socket", "qr_push_failed") > before
        )
    assert watch.close() == []


@pytest.mark.parametrize(
    "action",
    [
        "dynamodb:GetItem",
        "dynamodb:Query",
        "dynamodb:UpdateItem",
        "sqs:GetQueueAttributes",
        "sqs:SendMessage",
    ],
)
def test_sweep_fails_without_a_right(deployment, service, receiver, action):
    session = service.acquire(receiver.new_url())
    with deployment.without("inbound-sms", "sqs:SendMessage"):
        assert service.text_over_http(session).status == 200
    deployment.make_due(confirmation_key(session["confirmationId"]))
    with deployment.without_sweep():
        before = deployment.counted("sweeper", "sweep_succeeded")
        with deployment.without("sweeper", action), pytest.raises(AssertionError, match="cannot|Failed"):
            deployment.sweep()
        assert deployment.counted("sweeper", "sweep_succeeded") == before, "the alarm would not see that none succeeds"
        deployment.make_due(confirmation_key(session["confirmationId"]))
        deployment.sweep()
        assert deployment.counted("sweeper", "sweep_succeeded") > before
    service.until_delivered(session)


def test_socket_closes_if_the_watcher_cannot_be_stored(deployment, browser):
    login = browser.open()
    watch = Watch(deployment)
    with deployment.without("browser-socket", "dynamodb:UpdateItem"):
        watch.subscribe(login.id, login.token)
        assert watch.next() is None


def test_sweep_delivers_login_webhook_that_could_not_be_queued(
    deployment, app, browser, phone, receiver
):
    login = browser.open()
    phone.initiate(login)
    with deployment.without("qr-session", "sqs:SendMessage"):
        # The decision was stored, and the table contains the pending webhook.
        phone.confirm(login)
        assert login.state() == "confirmed"
    deployment.make_due(login_key(login.id))
    deployment.sweep()
    receiver.wait_about(app.url, login.id)


def nothing_listed(statements):
    """Removes the right to query."""
    return [s for s in statements if "dynamodb:Query" not in s["Action"]]


@pytest.mark.parametrize("kind", ["HOST#*", "APP#*"])
def test_link_hosts_need_every_kind_of_item(deployment, administration, kind):
    name = f"linked-{kind[:-2].lower()}"
    host = f"{name}.example"
    deployment.serve_host(host)

    def asked():
        return http_api.call(deployment, "GET", "/", headers={"Host": host}).status

    # No app has this host.
    assert asked() == 404
    administration.create_login_app(name, link_host=host)
    assert asked() == 200
    with (
        deployment.with_rights("qr-session", nothing_listed),
        deployment.without_kind("qr-session", "dynamodb:GetItem", kind),
    ):
        # A process that has run keeps what it read in its cache.
        deployment.restart("qr-session")
        assert asked() >= 500
    assert asked() == 200


# --- association keys -----------------------------------------------------------------------------

USER = "somebody@rights.example"
# Every permission of the function `association-keys` on the table that its answers need.
OF_ASSOCIATION_KEYS = [
    ("dynamodb:GetItem", "PROFILE"),
    ("dynamodb:GetItem", "APP#*"),
    ("dynamodb:GetItem", "KEY#*"),
    ("dynamodb:GetItem", "AKEY#*"),
    ("dynamodb:GetItem", "AOWNER#*"),
    ("dynamodb:PutItem", "AKEY#*"),
    ("dynamodb:PutItem", "AOWNER#*"),
    ("dynamodb:UpdateItem", "AKEY#*"),
    ("dynamodb:UpdateItem", "AOWNER#*"),
]


@pytest.fixture
def registry(deployment, app):
    return Registry(deployment, app)


def administered(registry):
    """Registers, lists and revokes the first key of a user, and returns the three answers."""
    key, user = AssociationKey(), f"{uuid.uuid4()}@rights.example"
    return [registry.register(key, user), registry.list(user), registry.revoke(key)]


@pytest.mark.parametrize(("action", "kind"), OF_ASSOCIATION_KEYS)
def test_association_keys_need_every_kind_of_item(deployment, registry, action, kind):
    with (
        # A function that lists the apps when it starts reads nothing else about them for a minute.
        deployment.with_rights("association-keys", nothing_listed),
        deployment.without_kind("association-keys", action, kind),
    ):
        # A process that has run keeps apps and API keys in its cache.
        deployment.restart("association-keys")
        assert max(answer.status for answer in administered(registry)) >= 500
    deployment.restart("association-keys")
    assert [answer.status for answer in administered(registry)] == [200, 200, 200]


@pytest.mark.parametrize("action", ["dynamodb:GetItem", "dynamodb:UpdateItem"])
def test_refused_registration_is_a_problem_and_can_be_repeated(deployment, registry, action):
    # The function has connected and has read the app.
    registry.ids(USER)
    key = AssociationKey()
    with deployment.without("association-keys", action):
        answer = registry.register(key, USER)
        assert answer.status >= 500
        assert answer.headers["content-type"] == "application/problem+json"
    assert registry.register(key, USER).status == 200
    assert key.id in registry.ids(USER)
    registry.revoke(key)


@pytest.mark.parametrize("kind", ["AKEY#*", "APP#*"])
def test_proof_that_cannot_be_verified_confirms_nothing(
    deployment, app, browser, phone, registry, kind
):
    key, login = registry.new_key(USER), browser.open()
    phone.initiate(login, publicUserId=USER)
    proven = key.confirmation(app, login, USER)
    with deployment.without_kind("qr-session", "dynamodb:GetItem", kind):
        assert phone.call(login, "confirm", proven).status >= 500
    assert login.state() == "scanned"
    phone.confirm(login, **proven)
    registry.revoke(key)


# --- phones without an app ------------------------------------------------------------------------

# Every permission of the function `association-keys` on the table that only these routes need.
OF_PHONE_REGISTRATIONS = [
    ("dynamodb:GetItem", "HOST#*"),
    ("dynamodb:GetItem", "APPKEY#*"),
    ("dynamodb:GetItem", "PHR#*"),
    ("dynamodb:GetItem", "PHOWNER#*"),
    ("dynamodb:PutItem", "PHR#*"),
    ("dynamodb:PutItem", "PHOWNER#*"),
    ("dynamodb:UpdateItem", "PHR#*"),
    ("dynamodb:UpdateItem", "PHOWNER#*"),
]


def several_set_up(deployment, app):
    """Sets two phones of a user up, asks for the owner of a passkey, and returns its id and all answers."""
    user, key = f"{uuid.uuid4()}@phones.example", Passkey(app.host)
    server, answers = Service(deployment, app.api_key), []
    for _ in range(2):
        answers.append(server.call("POST", PATH, {"publicUserId": user}))
    if answers[0].status == 200:
        registration = Registration(deployment, app, user)
        phone = WebPhone(deployment, registration)
        answers.append(phone.open())
        answers.append(phone.sign(key, app, user))
        if answers[-1].status == 200:
            answers.append(registration.type(answers[-1].json()["digits"]))
    answers.append(identify(deployment, app, key))
    return answers


@pytest.mark.parametrize(("action", "kind"), OF_PHONE_REGISTRATIONS)
def test_phone_registrations_need_every_kind_of_item(deployment, login_apps, action, kind):
    app = login_apps.phones
    with (
        deployment.with_rights("association-keys", nothing_listed),
        deployment.without_kind("association-keys", action, kind),
    ):
        # A process that has run keeps apps, hosts and keys in its cache.
        deployment.restart("association-keys")
        assert failed(deployment, app)
    deployment.restart("association-keys")
    assert not failed(deployment, app)


def failed(deployment, app):
    """Returns whether a service refuses a part of setting phones up."""
    try:
        return max(answer.status for answer in several_set_up(deployment, app)) >= 500
    except AssertionError:
        return True


def test_sweep_delivers_webhook_of_a_phone_that_could_not_be_queued(deployment, login_apps, receiver):
    app = login_apps.phones
    with deployment.without("association-keys", "sqs:SendMessage"):
        # The key was registered, and the table contains the pending webhook.
        found = set_up(deployment, app, f"{uuid.uuid4()}@phones.example", AssociationKey())
        assert found.registration.state() == "completed"
    deployment.make_due(registration_key(found.registration.id))
    deployment.sweep()
    receiver.wait_about(app.url, found.registration.id)


# --- all functions --------------------------------------------------------------------------------

# The functions that authenticate API keys.
CALLERS = {"acquire", "confirm", "confirmations", "qr-session", "association-keys"}


def last_use(administration, name, key_id):
    """Returns the day of the last use of an app's key."""
    return {key["keyId"]: key["lastUsedAt"] for key in administration.keys(name)}[key_id]


def test_call_works_without_the_right_to_record_the_use_of_its_key(deployment, administration, receiver):
    administration.create_app("used", SENDER)
    key, key_id = administration.issue_key("used")
    service, url = Service(deployment, key), receiver.new_url()
    with deployment.without_kind("acquire", "dynamodb:GetItem", "KEYUSE#*"):
        service.acquire(url)
        assert last_use(administration, "used", key_id) is None
    # Another function records it, after its answer.
    service.confirm(PHONE, url)
    waiting.until("the use", lambda: last_use(administration, "used", key_id))


def known_without_the_list(deployment, service, app, url):
    """Makes a request with an API key to each function while none may list apps; returns the statuses."""
    login = Browser(deployment, app).open()
    with contextlib.ExitStack() as without:
        for function in CALLERS:
            without.enter_context(deployment.with_rights(function, nothing_listed))
            deployment.restart(function)
        session = service.acquire(url)
        service.confirm(PHONE, url)
        found = [
            service.call("GET", f"/confirmations/{session['confirmationId']}").status,
            Service(deployment, app.api_key).call("GET", f"/qr-sessions/{login.id}").status,
            Registry(deployment, app).list(USER).status,
        ]
    for function in CALLERS:
        deployment.restart(function)
    return found


def test_callers_are_known_without_the_right_to_list_apps(deployment, service, app, receiver):
    url = receiver.new_url()
    assert known_without_the_list(deployment, service, app, url) == [200, 200, 200]


@pytest.fixture(scope="module")
def used(deployment, proxy, administration, service, providers, carriers, receiver, login_apps):
    """The actions of each function, after it has done everything that it ever does."""
    url, app = receiver.new_url(500), login_apps.rights
    for session, bring in (
        (service.acquire(url), service.text),
        (service.confirm(PHONE, url), service.text_over_http),
    ):
        bring(session)
        service.until_delivered(session)
        again = f"/confirmations/{session['confirmationId']}/redeliver"
        assert service.call("POST", again).status in (200, 202)
        service.until_delivered(session)
    session = service.acquire(receiver.new_url(), clientChannel=True)
    watch = Watch(deployment)
    watch.subscribe_to_confirmation(session)
    assert watch.next() == CHANGED
    assert service.as_page(session).status == 200
    service.text(session)
    assert watch.next() == CHANGED
    watch.close()
    service.until_delivered(session)
    for bring in (providers.plivo, providers.vonage_parts):
        session = service.acquire(receiver.new_url())
        bring(sent(session))
        service.until_delivered(session)
    with carriers.looked_up():
        session = service.acquire(receiver.new_url())
        service.text(session, "+12025550153")
        service.until_delivered(session)
    comes_back(deployment, service, receiver)
    replay_at_the_limit(deployment, administration, receiver)
    tester = Service(deployment, administration.issue_test_key(APP))
    tester.until_delivered(tester.confirm(VERIFIED_AT_ONCE, receiver.new_url()))
    assert service.call("GET", "/confirmations").status == 200
    assert service.call("GET", "/qr-sessions").status == 200
    service.public_key()
    deployment.sweep()
    known_without_the_list(deployment, service, app, receiver.new_url())

    registry = Registry(deployment, app)
    key, login, phone = AssociationKey(), Browser(deployment, app).open(), Phone(deployment, app)
    assert registry.register(key, USER).status == 200
    assert key.id in registry.ids(USER)
    watch = login.watch()
    phone.initiate(login, publicUserId=USER)
    assert watch.next() == CHANGED
    phone.confirm(login, **key.confirmation(app, login, USER))
    watch.close()
    login.redeem()
    # The user is known, and so is an address from which a login was denied.
    again = Browser(deployment, app).open()
    phone.initiate(again, publicUserId=USER)
    phone.confirm(again, **key.confirmation(app, again, USER))
    registry.revoke(key)
    answer = Service(deployment, app.api_key).call("GET", f"/qr-sessions/{login.id}")
    assert (answer.status, answer.json()["verifiedPublicUserId"]) == (200, USER)
    there = Browser(deployment, app)
    denied = [there.open() for _ in range(2)]
    for one in denied:
        other = Phone(deployment, app)
        other.initiate(one)
        other.deny(one)
    for decided in (login, again, *denied):
        receiver.wait_about(app.url, decided.id)
    assert Service(deployment, app.api_key).call("GET", "/qr-sessions").status == 200
    refused = Watch(deployment)
    refused.subscribe(login.id, token())
    assert refused.next() is None

    logs_in(deployment, administration, service)
    sets_phones_up(deployment, login_apps.phones, receiver)

    found = {}
    for call in proxy.calls():
        if call.status in (200, 204):
            function = deployment.signer(call.caller)
            limit = f" {call.kind}" if call.kind else ""
            found.setdefault(function, set()).add(f"{call.service}:{call.operation}{limit}")
    return found


def comes_back(deployment, service, receiver):
    """Makes the table refuse an attempt for a moment. The attempt comes back within seconds, without the sweep."""
    session = service.acquire(receiver.new_url())
    with deployment.without_sweep():
        before = deployment.invocations()["dispatcher"]
        with deployment.without("dispatcher", "dynamodb:UpdateItem"):
            service.text(session)
            waiting.until(
                "the attempt", lambda: deployment.invocations()["dispatcher"] > before
            )
        state = service.until_delivered(session)
    assert len(state["delivery"]["attempts"]) == 1, state


def logs_in(deployment, administration, service):
    """Logs a person in twice with the OpenID provider, and erases the number."""
    app_key, api_key = administration.create_login_app(
        "used-site", origin="https://used.example", link_host="login.used.example"
    )
    administration.update(
        "used-site",
        payload_encryption="optional",
        add_redirect_uri="https://used.example/callback",
        openid_client="public",
        openid_methods="text,code",
    )
    client = Client(deployment, app_key, "https://used.example/callback")
    for _ in range(2):
        found = client.logged_in(service)
        assert client.user_info(found.tokens["access_token"]).status == 200
    page = client.open()
    login = client.opened(page)
    assert client.on_page(page, "finish", login=login.id).json()["code"] == "openid_not_verified"
    own = Service(deployment, api_key)
    assert own.call("POST", f"/confirmations/{found.confirmation}/redact").status == 200


def sets_phones_up(deployment, app, receiver):
    """Sets two phones of a user up without an app, one of which forgets everything but its passkey."""
    passkey = Passkey(app.host)
    for key in (AssociationKey(), passkey):
        found = set_up(deployment, app, "used@phones.example", key)
        receiver.wait_about(app.url, found.registration.id)
    assert identify(deployment, app, passkey).status == 200


def replay_at_the_limit(deployment, administration, receiver):
    """Repeats both kinds of start when the app's rate is used up, for which they read the first answer."""
    limited = Service(deployment, administration.create_app("limited", SENDER))
    administration.update("limited", max_confirmations_per_minute=1, max_confirmation_burst=1)
    body = {"callbackUrl": receiver.new_url()}
    for path, more in (
        ("/acquire-phone-number", {}),
        ("/make-confirmation", {"phoneNumber": PHONE}),
    ):
        once = {"Idempotency-Key": f"limited{path}"}
        answers = [limited.call("POST", path, body | more, once) for _ in range(2)]
        assert [answer.status for answer in answers] == [200, 200], answers
        assert limited.call("POST", path, body | more).status == 429


def test_every_permission_is_used(deployment, used):
    granted = {function: deployment.granted(function) - BY_LAMBDA for function in used}
    # The first function that sees a key on a day writes its use, and the others only read it.
    of_uses = {f"dynamodb:{action} KEYUSE#*" for action in ("GetItem", "PutItem", "UpdateItem")}
    granted = {function: actions - of_uses for function, actions in granted.items()}
    assert granted == {function: actions - of_uses for function, actions in used.items()}
    assert set(granted) == set(FUNCTIONS)


CHANGE_CONFIRMATIONS = {
    "sweeper", "confirmations", "inbound-sms", "inbound-sns", "dispatcher", "browser-socket", "openid",
}
CHANGE_LOGINS = {"sweeper", "qr-session", "browser-socket", "dispatcher"}
CHANGE_REGISTRATIONS = {"sweeper", "association-keys", "dispatcher"}
# The operations of the only function that uses an item type.
CHANGED_BY_ITS_OWN = ("get_item", "put_item", "update_item")

# The functions that may call each operation on each item type. All others may not.
MAY = {
    "PROFILE": {"get_item": set(FUNCTIONS) - {"well-known", "origin-check"}},
    "APP#shop": {"get_item": CALLERS | {"dispatcher", "openid"}, "batch_get_item": CALLERS},
    "APPKEY#cs_app_0": {"get_item": {"qr-session", "openid", "association-keys"}},
    "HOST#shop.example": {"get_item": {"qr-session", "association-keys"}},
    "KEY#0": {"get_item": CALLERS},
    "KEYUSE#0": dict.fromkeys(CHANGED_BY_ITS_OWN, CALLERS),
    "CFM#0": {
        # The function for browsers shows the status.
        "get_item": {"acquire", "confirm", "qr-session"} | CHANGE_CONFIRMATIONS,
        "batch_get_item": {"confirmations"},
        "put_item": {"acquire", "confirm", "openid"},
        "update_item": CHANGE_CONFIRMATIONS,
    },
    "QR#qrs_0": {
        "get_item": CHANGE_LOGINS | {"openid"},
        # For the list.
        "batch_get_item": {"confirmations"},
        "put_item": {"qr-session", "openid"},
        "update_item": CHANGE_LOGINS,
    },
    "SEEN#shop#0": dict.fromkeys(CHANGED_BY_ITS_OWN, {"qr-session"}),
    "USER#0": dict.fromkeys(CHANGED_BY_ITS_OWN, {"qr-session"}),
    "AKEY#shop#0": {
        "get_item": {"association-keys", "qr-session"},
        "put_item": {"association-keys"},
        "update_item": {"association-keys"},
    },
    "AOWNER#0": dict.fromkeys(CHANGED_BY_ITS_OWN, {"association-keys"}),
    "PHR#phr_0": {
        "get_item": CHANGE_REGISTRATIONS,
        "put_item": {"association-keys"},
        "update_item": CHANGE_REGISTRATIONS,
    },
    "PHOWNER#0": dict.fromkeys(CHANGED_BY_ITS_OWN, {"association-keys"}),
    "NONCE#0": {"put_item": {"inbound-sms"}},
    "TEXT#0": dict.fromkeys(CHANGED_BY_ITS_OWN, {"inbound-sms"}),
    "GRANT#0": dict.fromkeys(CHANGED_BY_ITS_OWN, {"openid"}),
    "SUBJECT#0": {
        # Erases what a client knows a number by.
        "get_item": {"confirmations", "openid"},
        "put_item": {"openid"},
        "update_item": {"confirmations", "openid"},
    },
    # Only administrators.
    "AUDIT": {},
    "SOMETHING#0": {},
}


@pytest.mark.usefixtures("used")
@pytest.mark.parametrize("operation", ["get_item", "batch_get_item", "put_item", "update_item", "delete_item", "query"])
@pytest.mark.parametrize("partition", MAY)
def test_items_are_reached_only_by_their_own_functions(deployment, partition, operation):
    found = {one for one in FUNCTIONS if deployment.may(one, operation, partition)}
    assert found == MAY[partition].get(operation, set())
