"""Tests of phones that are set up without an app, with keys of browsers and with passkeys, and of attacks on that."""

import json
from urllib.parse import urlsplit

import pytest

import http_api
import waiting
from logins import Browser, Phone, viewer
from phones import PATH, Registration, WebPhone, identify, set_up
from proofs import AssociationKey, Passkey, Registry
from service import Service

ZOE, MALLORY = "zoe@phones.example", "mallory@phones.example"
BERLIN = {"country": "DE", "city": "Berlin"}


@pytest.fixture
def app(login_apps):
    """An app whose users may have phones without an app."""
    return login_apps.phones


@pytest.fixture
def strict(login_apps):
    """An app that takes passkeys only."""
    return login_apps.passkeys


@pytest.fixture
def registry(deployment, app):
    return Registry(deployment, app)


@pytest.fixture
def registration(deployment, app):
    return Registration(deployment, app, ZOE)


@pytest.fixture
def phone(deployment, registration):
    return WebPhone(deployment, registration)


def new_key(app, kind):
    """Returns a key that the page on a phone made."""
    return Passkey(app.host) if kind == "passkey" else AssociationKey()


def code(answer):
    """Returns status and code of a refusal."""
    return answer.status, answer.json()["code"]


def confirmed(deployment, app, key, user):
    """Confirms a new login with a proof by this key. Returns the login and the answer."""
    login, phone = Browser(deployment, app).open(), Phone(deployment, app)
    phone.initiate(login, publicUserId=user)
    return login, phone.call(login, "confirm", key.confirmation(app, login, user))


@pytest.mark.parametrize("kind", ["browser", "passkey"])
def test_phone_is_set_up_and_confirms_a_login(deployment, app, registry, receiver, kind):
    user, key = f"{kind}@phones.example", new_key(app, kind)
    found = set_up(deployment, app, user, key)
    opened = found.opened
    assert (opened["app"], opened["publicUserId"]) == ({"name": "phones", "key": app.key}, user)
    assert (opened["rpId"], opened["origin"], opened["key"]) == (app.host, f"https://{app.host}", "any")
    assert urlsplit(found.registration.url)[:3] == ("https", app.host, "/phone-setup")

    shown = found.registration.as_server().json()
    expected = {"state": "completed", "publicUserId": user, "keyId": key.id, "kind": kind}
    assert shown.items() >= expected.items()
    assert found.phone.call("GET").json()["state"] == "completed"
    listed, = registry.list(user).json()["keys"]
    assert (listed["keyId"], listed["kind"]) == (key.id, kind)
    assert listed.get("rpId") == (app.host if kind == "passkey" else None)

    webhook, = receiver.wait_about(app.url, found.registration.id)
    body = Service(deployment, app.api_key).verify(webhook)
    assert (body["event"], body["keyId"], body["publicUserId"]) == ("phone.registered", key.id, user)

    login, answer = confirmed(deployment, app, key, user)
    assert (answer.status, answer.json()) == (200, True), answer.body
    webhook, = receiver.wait_about(app.url, login.id)
    assert json.loads(webhook.body)["verifiedPublicUserId"] == user


def test_webhook_is_sent_again_to_a_server_that_was_down(deployment, login_apps, receiver):
    app = login_apps.phones_down
    found = set_up(deployment, app, ZOE, AssociationKey())
    # The key counts, whatever becomes of the webhook.
    assert found.registration.as_server().json()["state"] == "completed"
    first, second = receiver.wait_about(app.url, found.registration.id, 2)
    assert second.at - first.at >= 2
    assert (first.headers["webhook-id"], first.body) == (second.headers["webhook-id"], second.body)
    Service(deployment, app.api_key).verify(second)
    waiting.until("the settled webhook", lambda: "due_at" not in found.registration.item())


def test_page_says_which_phone_opened_the_link_and_where(deployment, app, registration):
    phone = WebPhone(deployment, registration, viewer(deployment, **BERLIN))
    assert phone.open().status == 200
    seen = registration.as_page("GET")
    assert seen.headers["access-control-allow-origin"] == app.origin
    assert seen.json()["state"] == "opened"
    assert seen.json()["device"] == {"browser": "Safari on iOS", "location": "Berlin, DE"}


def test_place_that_a_client_makes_up_is_not_shown(deployment, registration):
    forged = {name: text for name, text in viewer(deployment, **BERLIN).items() if name.startswith("CloudFront")}
    assert WebPhone(deployment, registration, forged).open().status == 200
    assert "location" not in registration.as_page("GET").json()["device"]


@pytest.mark.parametrize("path", [f"{PATH}/phr_{'0' * 32}", f"{PATH}/phr_{'0' * 32}/open", "/passkeys/identify"])
def test_pages_may_call_from_their_own_origins(deployment, app, path):
    asked = {"Origin": app.origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    answer = http_api.call(deployment, "OPTIONS", path, headers=asked)
    assert answer.status == 204, answer.body
    assert answer.headers["access-control-allow-origin"] == app.origin


def test_page_of_the_link_host_is_served_by_the_same_api(deployment, app):
    deployment.serve_host(app.host)
    page = http_api.call(deployment, "GET", "/phone-setup", headers={"Host": app.host})
    assert page.status == 200
    assert page.headers["content-type"].startswith("text/html")
    # The page calls its own host.
    without_token = http_api.call(deployment, "POST", f"{PATH}/phr_{'0' * 32}/open", {}, {"Host": app.host})
    assert code(without_token) == (401, "token_missing")


def test_owner_of_a_passkey_is_found_without_anything_else(deployment, strict):
    user, key = "forgetful@passkeys.example", Passkey(strict.host)
    set_up(deployment, strict, user, key)
    found = identify(deployment, strict, key)
    assert found.status == 200, found.body
    assert found.json() == {"publicUserId": user, "keyId": key.id, "publicKey": key.public()}
    assert Registry(deployment, strict).revoke(key).status == 200
    assert code(identify(deployment, strict, key)) == (404, "passkey_unknown")
    assert code(identify(deployment, strict, Passkey(strict.host))) == (404, "passkey_unknown")


def test_key_of_a_test_key_counts_only_for_tests(deployment, administration, app, registry):
    user, key = "tester@phones.example", AssociationKey()
    set_up(deployment, app, user, key, administration.issue_test_key("phones"))
    assert registry.ids(user) == []
    login, answer = confirmed(deployment, app, key, user)
    assert answer.status == 200, answer.body
    shown = Service(deployment, app.api_key).call("GET", f"/qr-sessions/{login.id}").json()
    assert shown["verifiedPublicUserId"] is None


# --- attacks --------------------------------------------------------------------------------------


def test_second_phone_is_refused_and_ends_nothing(deployment, app, registration, phone):
    assert phone.open().status == 200
    second = WebPhone(deployment, registration)
    assert code(second.open()) == (409, "registration_opened")
    assert second.sign(AssociationKey(), app, ZOE).status == 404
    assert phone.open().status == 200
    assert phone.sign(AssociationKey(), app, ZOE).status == 200


def test_third_wrong_pair_of_digits_ends_the_registration(app, registry, registration, phone):
    key = AssociationKey()
    assert phone.open().status == 200
    right = phone.sign(key, app, ZOE).json()["digits"]
    wrong = [digits for digits in ("00", "01", "02", "03") if digits != right][:3]
    refused = [registration.type(digits) for digits in wrong]
    assert [code(answer)[1] for answer in refused] == ["check_code_wrong"] * 2 + ["registration_failed"]
    assert registration.type(right).status >= 400
    assert (registration.state(), registration.as_server().json()["failure"]) == ("failed", "wrong_digits")
    assert key.id not in registry.ids(ZOE)


def test_key_means_nothing_before_the_digits(deployment, app, registry, registration, phone):
    key = AssociationKey()
    assert phone.open().status == 200
    assert phone.sign(key, app, ZOE).status == 200
    assert key.id not in registry.ids(ZOE)
    login, answer = confirmed(deployment, app, key, ZOE)
    assert answer.status == 200
    shown = Service(deployment, app.api_key).call("GET", f"/qr-sessions/{login.id}").json()
    assert shown["verifiedPublicUserId"] is None


def test_registration_is_nobody_elses(deployment, app, strict, registration, phone):
    """Another app, another user's page and another phone see nothing of it."""
    assert phone.open().status == 200
    others = Service(deployment, strict.api_key)
    for method in ("GET", "DELETE"):
        assert code(others.call(method, f"{PATH}/{registration.id}")) == (404, "registration_not_found")
    page = Registration(deployment, app, MALLORY).created["pageToken"]
    for token in (page, "A" * 43):
        headers = {"Authorization": f"Bearer {token}", **viewer(deployment)}
        seen = http_api.call(deployment, "GET", f"{PATH}/{registration.id}", headers=headers)
        assert code(seen) == (404, "registration_not_found")
    assert registration.state() == "opened"


def test_key_that_was_set_up_at_one_app_is_unknown_at_another(deployment, app, strict):
    user, key = "elsewhere@phones.example", AssociationKey()
    set_up(deployment, app, user, key)
    assert Registry(deployment, strict).ids(user) == []
    login, answer = confirmed(deployment, strict, key, user)
    assert answer.status == 200
    shown = Service(deployment, strict.api_key).call("GET", f"/qr-sessions/{login.id}").json()
    assert shown["verifiedPublicUserId"] is None


def test_passkey_of_another_host_registration_or_user_is_refused(deployment, app, strict, registration, phone):
    assert phone.open().status == 200
    assert code(phone.sign(Passkey(strict.host), app, ZOE)) == (422, "passkey_false")
    assert code(phone.sign(Passkey(app.host), app, MALLORY)) == (422, "passkey_false")
    other = WebPhone(deployment, Registration(deployment, app, ZOE))
    taken = Passkey(app.host)
    assert other.open().status == 200
    # What the passkey signed for this registration, at the other one.
    replayed = phone.proof(taken, app, ZOE)
    answer = other.call("POST", "/sign", {"publicKey": taken.public(), **replayed})
    assert code(answer) == (422, "passkey_false")


def test_app_that_wants_passkeys_takes_no_key_of_a_browser(deployment, strict):
    phone = WebPhone(deployment, Registration(deployment, strict, ZOE))
    assert phone.open().json()["key"] == "passkey"
    assert code(phone.sign(AssociationKey(), strict, ZOE)) == (403, "passkey_required")


@pytest.mark.parametrize("kind", ["browser", "passkey"])
def test_revoked_key_confirms_nothing_and_does_not_return(deployment, app, registry, kind):
    user, key = f"lost-{kind}@phones.example", new_key(app, kind)
    set_up(deployment, app, user, key)
    assert registry.revoke(key).status == 200
    login, answer = confirmed(deployment, app, key, user)
    assert code(answer) == (403, "proof_invalid")
    assert login.state() == "scanned"
    again = WebPhone(deployment, Registration(deployment, app, user))
    assert again.open().status == 200
    assert code(again.sign(key, app, user)) == (409, "association_key_revoked")


@pytest.mark.parametrize("by", ["server", "page", "phone"])
def test_cancelled_registration_registers_nothing(app, registration, phone, by):
    assert phone.open().status == 200
    digits = phone.sign(AssociationKey(), app, ZOE).json()["digits"]
    cancel = {
        "server": lambda: registration.as_server("DELETE"),
        "page": lambda: registration.as_page("DELETE"),
        "phone": lambda: phone.call("DELETE"),
    }[by]
    assert [cancel().status for _ in range(2)] == [204, 204]
    assert code(registration.type(digits)) == (409, "registration_cancelled")


def test_phones_in_progress_end_when_the_operator_revokes_all_keys(deployment, administration, app, registry):
    user, key = "stolen@phones.example", AssociationKey()
    set_up(deployment, app, user, key)
    begun = Registration(deployment, app, user)
    phone = WebPhone(deployment, begun)
    assert phone.open().status == 200
    digits = phone.sign(AssociationKey(), app, user).json()["digits"]
    ended = administration.revoke_user_keys("phones", user)
    assert ended == {"keyIds": [key.id], "cancelledRegistrations": 1}
    assert code(begun.type(digits)) == (409, "registration_cancelled")
    assert registry.ids(user) == []


def test_app_without_the_setting_sets_no_phone_up(deployment, login_apps):
    refused = Service(deployment, login_apps.known.api_key).call("POST", PATH, {"publicUserId": ZOE})
    assert code(refused) == (409, "web_phone_off")


# --- the table and the logs -----------------------------------------------------------------------


def test_table_expires_registrations_and_their_lists(deployment, app, registration, phone):
    assert phone.open().status == 200
    pages = deployment.client("dynamodb").get_paginator("scan").paginate(TableName=deployment.table)
    items = [item for page in pages for item in page["Items"]]
    held = {item["pk"]["S"].partition("#")[0] for item in items if "ttl" in item}
    assert {"PHR", "PHOWNER"} <= held
    secret = registration.url.rpartition(".")[2]
    for hidden in (secret, registration.created["pageToken"]):
        assert hidden not in json.dumps(registration.item())


def test_logs_contain_neither_secrets_nor_users(deployment, app):
    user, key = "unlogged@phones.example", Passkey(app.host)
    found = set_up(deployment, app, user, key)
    lines = deployment.lines("association-keys")
    assert any(found.registration.id in json.dumps(line) for line in lines), lines[-5:]
    written = json.dumps(lines)
    secret = found.registration.url.rpartition(".")[2]
    for hidden in (user, key.public(), key.credential, secret, found.registration.created["pageToken"], app.api_key):
        assert hidden not in written
