"""Tests of association keys: registration, revocation, and the proofs that the service verifies."""

import json

import pytest

import http_api
from logins import Browser, Phone, browser_key, sealed
from proofs import AssociationKey, Registry
from service import Service

ZOE, MALLORY = "zoe@known.example", "mallory@known.example"


@pytest.fixture
def app(login_apps):
    """An app that registers its users' keys."""
    return login_apps.known


@pytest.fixture
def strict(login_apps):
    """An app that requires proofs."""
    return login_apps.strict


@pytest.fixture
def registry(deployment, app):
    return Registry(deployment, app)


def scanned(deployment, app, user, key=None):
    """Returns a login that a new phone opened for this user, and the phone."""
    login, phone = Browser(deployment, app).open(key), Phone(deployment, app)
    phone.initiate(login, publicUserId=user)
    return login, phone


def refusal(deployment, app, key, user):
    """Confirms a new login with a proof by this key, and returns status and code of the refusal."""
    login, phone = scanned(deployment, app, user)
    answer = phone.call(login, "confirm", key.confirmation(app, login, user))
    assert login.state() == "scanned"
    return answer.status, answer.json()["code"]


def test_key_is_listed_until_it_is_revoked(registry):
    user = "listed@known.example"
    key, other = registry.new_key(user), registry.new_key(user)
    again = registry.register(key, user)
    assert (again.status, again.json()) == (200, {"keyId": key.id})
    assert registry.ids(user) == [key.id, other.id]
    for _ in range(2):
        revoked = registry.revoke(key)
        assert (revoked.status, revoked.json()) == (200, {"keyId": key.id})
    assert registry.ids(user) == [other.id]
    registry.revoke(other)
    assert registry.ids(user) == []


def test_webhook_says_who_was_verified_and_the_page_does_not(deployment, app, registry, receiver):
    key = registry.new_key(ZOE)
    login, phone = scanned(deployment, app, ZOE)
    phone.confirm(login, **key.confirmation(app, login, ZOE))
    webhook, = receiver.wait_about(app.url, login.id)
    body = Service(deployment, app.api_key).verify(webhook)
    assert (body["verifiedPublicUserId"], body["sessionId"]) == (ZOE, login.id)
    assert "verified" not in login.redeem().body.decode()


def test_proof_beside_an_encrypted_payload_is_verified(deployment, app, registry, receiver):
    key = registry.new_key(ZOE)
    login, phone = scanned(deployment, app, ZOE, browser_key())
    proof = key.confirmation(app, login, ZOE)["proof"]
    phone.confirm(login, sealed(), encrypted=True, proof=proof)
    webhook, = receiver.wait_about(app.url, login.id)
    body = json.loads(webhook.body)
    assert body["verifiedPublicUserId"] == ZOE


def test_unregistered_key_verifies_no_user(deployment, app, receiver):
    login, phone = scanned(deployment, app, ZOE)
    phone.confirm(login, **AssociationKey().confirmation(app, login, ZOE))
    webhook, = receiver.wait_about(app.url, login.id)
    body = json.loads(webhook.body)
    assert body["claimedPublicUserId"] == ZOE
    assert "verifiedPublicUserId" not in body


def test_revoked_key_is_refused_immediately(deployment, app, registry):
    key = registry.new_key(ZOE)
    # The function of logins has now read the key.
    login, phone = scanned(deployment, app, ZOE)
    phone.confirm(login, **key.confirmation(app, login, ZOE))
    assert registry.revoke(key).status == 200
    assert refusal(deployment, app, key, ZOE) == (403, "proof_invalid")
    again = registry.register(key, ZOE)
    assert (again.status, again.json()["code"]) == (409, "association_key_revoked")


def test_confirmation_is_repeated_after_its_key_was_revoked(deployment, app, registry):
    key = registry.new_key(ZOE)
    login, phone = scanned(deployment, app, ZOE)
    body = key.confirmation(app, login, ZOE)
    phone.confirm(login, **body)
    registry.revoke(key)
    phone.confirm(login, **body)
    assert login.redeem().json()["proof"] == body["proof"]


def test_proof_of_another_user_is_refused(deployment, app, registry):
    key = registry.new_key(ZOE)
    login, phone = scanned(deployment, app, MALLORY)
    answer = phone.call(login, "confirm", key.confirmation(app, login, MALLORY))
    # The proof names Mallory, but its key is Zoe's.
    assert (answer.status, answer.json()["code"]) == (403, "proof_invalid")
    proof = key.confirmation(app, login, ZOE)
    answer = phone.call(login, "confirm", proof)
    assert (answer.status, answer.json()["code"]) == (403, "proof_mismatch")


def test_key_of_another_user_is_not_registered(app, registry):
    key, unknown = registry.new_key(ZOE), AssociationKey()
    taken = registry.register(key, MALLORY)
    assert (taken.status, taken.json()["code"]) == (409, "association_key_taken")
    for wrong in (unknown.possession(app, ZOE), AssociationKey().possession(app, MALLORY)):
        false = registry.register(unknown, MALLORY, signature=wrong)
        assert (false.status, false.json()["code"]) == (422, "key_signature_false")
    assert registry.ids(MALLORY) == []


def test_app_that_requires_proofs_takes_registered_keys_only(deployment, strict):
    registry, user, key = Registry(deployment, strict), "zoe@strict.example", AssociationKey()
    unshown = registry.register(key, user, signature=None)
    assert (unshown.status, unshown.json()["code"]) == (422, "key_signature_missing")
    assert refusal(deployment, strict, key, user) == (403, "proof_invalid")
    login, phone = scanned(deployment, strict, user)
    bare = phone.call(login, "confirm", {"payload": "yes"})
    assert (bare.status, bare.json()["code"]) == (403, "proof_required")
    registered = registry.register(key, user)
    assert registered.status == 200, registered.body
    phone.confirm(login, **key.confirmation(strict, login, user))
    assert login.redeem().status == 200


def test_apps_do_not_see_each_others_keys(deployment, app, strict, registry):
    key, other = registry.new_key(ZOE), Registry(deployment, strict)
    assert other.ids(ZOE) == []
    unknown = other.revoke(key)
    assert (unknown.status, unknown.json()["code"]) == (404, "association_key_not_found")
    assert refusal(deployment, strict, key, ZOE) == (403, "proof_invalid")
    login, phone = scanned(deployment, app, ZOE)
    phone.confirm(login, **key.confirmation(app, login, ZOE))


def test_operator_and_app_administer_the_same_keys(deployment, administration, app, registry):
    key, user = AssociationKey(), "operated@known.example"
    added = administration.add_association_key("known", user, key.public())
    assert (added["keyId"], added["publicUserId"]) == (key.id, user)
    assert registry.ids(user) == [key.id]
    assert administration.revoke_association_key("known", key.id) == {"keyId": key.id}
    assert registry.ids(user) == []
    assert refusal(deployment, app, key, user) == (403, "proof_invalid")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/association-keys"),
        ("GET", f"/association-keys?publicUserId={ZOE}"),
        ("DELETE", f"/association-keys/{AssociationKey().id}"),
    ],
)
def test_app_key_does_not_administer_keys(deployment, app, method, path):
    answer = http_api.call(deployment, method, path, headers={"x-app-key": app.key})
    assert (answer.status, answer.json()["code"]) == (401, "api_key_missing")


def test_logs_hold_neither_users_nor_keys(deployment, app, registry):
    user, key = "unlogged@known.example", AssociationKey()
    registry.register(key, user)
    registry.ids(user)
    registry.revoke(key)
    lines = deployment.lines("association-keys")
    assert any(line.get("app") == "known" for line in lines), lines
    written = json.dumps(lines)
    for secret in (user, key.public(), key.possession(app, user), app.api_key):
        assert secret not in written
