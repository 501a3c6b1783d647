"""Tests of the OpenID provider at the deployed functions: a login with a text, from the page to the claims and the
logout, and attacks that depend on the table, the key or the roles."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from logins import Browser, Phone
from openid import Client, parameters
from proofs import Registry
from service import OTHER_PHONE, PHONE, Service

REDIRECT_URI = "https://site.example/callback"
LOGGED_OUT = "https://site.example/bye"


@pytest.fixture(scope="module")
def site(deployment, administration):
    """A public client, and what its app may do with its API key."""
    key, api_key = administration.create_login_app("site", origin="https://site.example", link_host="login.site.example")
    administration.update(
        "site", add_redirect_uri=REDIRECT_URI, add_post_logout_redirect_uri=LOGGED_OUT, openid_client="public"
    )
    return Client(deployment, key, REDIRECT_URI), Service(deployment, api_key)


@pytest.fixture
def client(site):
    """The client."""
    return site[0]


@pytest.fixture(scope="module")
def confidential(deployment, administration):
    """Returns a function that makes a confidential client, with this secret instead of its own if there is one."""
    key, _ = administration.create_login_app("shop-oidc", origin="https://s.example", link_host="login.s.example")
    administration.update("shop-oidc", add_redirect_uri=REDIRECT_URI)
    own, _ = administration.issue_client_secret("shop-oidc")
    return lambda secret=own: Client(deployment, key, REDIRECT_URI, secret)


def test_person_logs_in_with_a_text_and_out_again(deployment, client, service):
    issuer = client.discovered()["issuer"]
    assert issuer == deployment.outputs["ApiUrl"]
    page, _ = client.verified(service)
    returned = client.finish(page)
    assert (returned["state"], returned["iss"]) == (page.asked["state"], issuer)
    answer = client.exchange(page, returned["code"])
    assert answer.status == 200, answer.body
    tokens = answer.json()
    claims = client.claims(tokens["id_token"])
    expected = {"iss": issuer, "aud": client.id, "nonce": page.asked["nonce"], "amr": ["sms"]}
    assert claims.items() >= {**expected, "phone_number": PHONE, "phone_number_verified": True}.items()
    info = client.user_info(tokens["access_token"])
    assert info.status == 200, info.body
    assert info.json() == {"sub": claims["sub"], "phone_number": PHONE, "phone_number_verified": True}

    left = client.call(
        "GET", f"/end-session?id_token_hint={tokens['id_token']}&post_logout_redirect_uri={LOGGED_OUT}&state=over"
    )
    assert (left.status, left.headers["location"]) == (303, f"{LOGGED_OUT}?state=over")


@pytest.mark.parametrize("file", ["page.js", "page.css"])
def test_page_has_its_script_and_style(client, file):
    found = client.call("GET", f"/openid/{file}")
    assert (found.status, found.headers["x-content-type-options"]) == (200, "nosniff")


def test_key_signs_only_id_tokens(deployment, client):
    kms, arn = deployment.client("kms"), deployment.outputs["OpenIdKeyArn"]
    assert arn != deployment.outputs["SigningKeyArn"]
    assert kms.describe_key(KeyId=arn)["KeyMetadata"]["KeySpec"] == "ECC_NIST_P256"
    of_webhooks = client.call("GET", "/.well-known/jwks.json").json()["keys"]
    of_tokens = client.keys()
    assert {key["kid"] for key in of_tokens}.isdisjoint(key["kid"] for key in of_webhooks)
    assert len(of_tokens) == 1


USER = "somebody@site.example"


@pytest.fixture(scope="module")
def coded(deployment, administration):
    """A client whose page offers a code, its app, and the key of a user's phone."""
    host, origin = "login.coded.example", "https://coded.example"
    key, api_key = administration.create_login_app(
        "coded", origin=origin, link_host=host, payload_encryption="optional"
    )
    administration.update("coded", add_redirect_uri=REDIRECT_URI, openid_client="public", openid_methods="text,code")
    client = Client(deployment, key, REDIRECT_URI)
    # Phones see, and sign, the origin of the provider's page.
    app = SimpleNamespace(key=key, api_key=api_key, origin=client.discovered()["issuer"])
    return SimpleNamespace(client=client, app=app, key=Registry(deployment, app).new_key(USER))


def test_person_logs_in_with_the_code_of_the_page(deployment, coded):
    page = coded.client.open(acr_values="urn:countersign:key")
    login, phone = coded.client.opened(page), Phone(deployment, coded.app)
    assert phone.initiate(login, publicUserId=USER)["origin"] == coded.app.origin
    early = coded.client.on_page(page, "finish", login=login.id)
    assert (early.status, early.json()["code"]) == (409, "openid_not_verified")
    phone.confirm(login, **coded.key.confirmation(coded.app, login, USER))
    assert login.redeem().status == 200
    # Another page of the same client cannot return with this login.
    stolen = coded.client.on_page(coded.client.open(), "finish", login=login.id)
    assert stolen.json()["code"] == "openid_not_verified"
    answer = coded.client.exchange(page, coded.client.finish(page, login=login.id)["code"])
    assert answer.status == 200, answer.body
    claims = coded.client.claims(answer.json()["id_token"])
    assert (claims["sub"], claims["amr"], claims["acr"]) == (USER, ["swk"], "urn:countersign:key")
    assert "phone_number" not in claims
    assert coded.client.user_info(answer.json()["access_token"]).json() == {"sub": USER}


def test_other_pages_open_no_logins_at_the_origin_of_the_provider(deployment, coded):
    refused = Browser(deployment, coded.app).ask()
    assert (refused.status, refused.json()["code"]) == (403, "login_server_only")


# --- attacks --------------------------------------------------------------------------------------


def test_code_that_is_used_by_many_at_once_gives_one_token_which_has_ended(client, service):
    page, _ = client.verified(service)
    code = client.finish(page)["code"]
    with ThreadPoolExecutor(6) as together:
        answers = list(together.map(lambda _: client.exchange(page, code), range(6)))
    assert Counter(answer.status for answer in answers) == {200: 1, 400: 5}, [answer.body for answer in answers]
    assert {answer.json()["error"] for answer in answers if answer.status == 400} == {"invalid_grant"}
    given, = (answer.json() for answer in answers if answer.status == 200)
    assert client.user_info(given["access_token"]).status == 401


def test_wrong_secret_neither_gives_a_token_nor_uses_a_code_up(confidential, service):
    client = confidential()
    page, _ = client.verified(service)
    code = client.finish(page)["code"]
    # Without a secret, with one that was made up, and with one that is almost right.
    for wrong in (None, "guessed", client.secret[:-1] + ("a" if client.secret[-1] != "a" else "b")):
        refused = confidential(wrong).exchange(page, code)
        assert (refused.status, refused.json()["error"]) == (401, "invalid_client"), refused.body
    assert client.exchange(page, code).status == 200


def test_revoked_secret_gives_no_token(deployment, administration, confidential, service):
    secret, secret_id = administration.issue_client_secret("shop-oidc")
    client = confidential(secret)
    client.logged_in(service)
    administration.revoke_client_secret("shop-oidc", secret_id)
    # A process that knows the secret forgets it within a minute.
    deployment.restart("openid")
    page, _ = client.verified(service)
    refused = client.exchange(page, client.finish(page)["code"])
    assert (refused.status, refused.json()["error"]) == (401, "invalid_client")


def test_code_of_another_app_gives_no_token_and_stays_usable(client, confidential, service):
    page, _ = client.verified(service)
    code = client.finish(page)["code"]
    refused = confidential().exchange(page, code)
    assert (refused.status, refused.json()["error"]) == (400, "invalid_grant")
    assert client.exchange(page, code).status == 200


def test_apps_cannot_compare_their_subjects(client, confidential, service):
    subjects = {
        one.claims(one.logged_in(service, OTHER_PHONE).tokens["id_token"])["sub"] for one in (client, confidential())
    }
    assert len(subjects) == 2


def test_only_the_browser_of_a_page_can_finish_it(client, service):
    page, _ = client.verified(service)
    other = client.open()
    page.cookie, cookie = other.cookie, page.cookie
    assert client.on_page(page, "finish").status == 400
    page.cookie = cookie
    assert client.on_page(page, "finish").status == 200


def test_app_without_a_redirect_uri_is_refused(deployment, administration):
    key, _ = administration.create_login_app("closed-site", origin="https://c.example", link_host="login.c.example")
    stranger = Client(deployment, key, REDIRECT_URI)
    page = stranger.authorize(client_id=key, redirect_uri=REDIRECT_URI, response_type="code", scope="openid")
    assert page.status == 400
    assert "location" not in page.headers


def test_stranger_who_opens_pages_makes_the_table_store_nothing(deployment, proxy, client):
    """The page itself is a read at most, so that strangers cannot fill the table."""
    client.open()
    with proxy.counting() as calls:
        for _ in range(20):
            client.open()
    written, read = calls.units()
    assert written == 0
    # A process keeps an app for a minute. The reads are those of another one.
    assert read <= 4, calls.operations()


# --- the table ------------------------------------------------------------------------------------


def test_number_keeps_its_subject_until_the_app_redacts_it(site, service):
    client, own = site

    def subject():
        found = client.logged_in(service, OTHER_PHONE)
        return client.claims(found.tokens["id_token"])["sub"], found

    first, found = subject()
    assert subject()[0] == first
    answer = own.call("POST", f"/confirmations/{found.confirmation}/redact")
    assert answer.status == 200, answer.body
    assert client.user_info(found.tokens["access_token"]).status == 401
    assert subject()[0] != first


def test_table_expires_grants_and_subjects(deployment, client, service):
    page, _ = client.verified(service)
    client.finish(page)
    scanned = deployment.client("dynamodb").scan(TableName=deployment.table)["Items"]
    found = {item["pk"]["S"].partition("#")[0] for item in scanned if "ttl" in item}
    assert {"GRANT", "SUBJECT"} <= found


def test_code_stays_usable_while_the_key_cannot_be_used(deployment, client, service):
    page, _ = client.verified(service)
    code = client.finish(page)["code"]
    with deployment.without("openid", "kms:Sign"):
        failed = client.exchange(page, code)
        assert failed.status >= 500, failed.body
        assert b"id_token" not in failed.body
    assert client.exchange(page, code).status == 200


def test_redirect_carries_a_refusal_to_the_client(client):
    refused = client.authorize(
        client_id=client.id, redirect_uri=REDIRECT_URI, response_type="code", scope="openid", prompt="none", state="s"
    )
    assert refused.status == 303
    found = parameters(refused.headers["location"])
    assert (found["error"], found["state"], found["iss"]) == ("login_required", "s", client.discovered()["issuer"])
