"""Tests of what an operator does with the OpenID provider, in a new account: turning it on, rotating its key as
docs/operations.md says, and turning it off without losing who the users are."""

from types import SimpleNamespace

import pytest

import http_api
from administration import Administration
from deployer import FOR_OPENID
from deployment import STACK
from openid import Client, signed_by
from service import SENDER, Service

REDIRECT_URI = "https://site.example/callback"
PATHS = (
    "/authorize",
    "/authorize/text",
    "/token",
    "/userinfo",
    "/end-session",
    "/.well-known/openid-configuration",
    "/openid/jwks.json",
    "/openid/page.js",
)


def codes(account):
    """Returns the code of the answer to each path of the provider, or nothing where there is an answer."""
    return [_code(http_api.call(account, "GET", path)) for path in PATHS]


def _code(answer):
    return answer.json()["code"] if answer.headers["content-type"] == "application/problem+json" else None


def resources(account):
    """Returns the logical ids of the provider's resources, in the stack and in the nested one."""
    pages = account.client("cloudformation").get_paginator("list_stack_resources")
    stacks = [STACK]
    found = set()
    while stacks:
        for page in pages.paginate(StackName=stacks.pop()):
            for one in page["StackResourceSummaries"]:
                if one["ResourceType"] == "AWS::CloudFormation::Stack":
                    stacks.append(one["PhysicalResourceId"])
                if "OpenId" in one["LogicalResourceId"] and "DELETE" not in one["ResourceStatus"]:
                    found.add(one["LogicalResourceId"])
    return found


@pytest.fixture(scope="module")
def off(account):
    """The account before anybody turned the provider on."""
    account.ensure_deployed()
    return SimpleNamespace(codes=codes(account), resources=resources(account), keys=account.keys_made())


def test_nothing_of_the_provider_exists_by_default(off):
    assert off.codes == ["not_found"] * len(PATHS)
    assert off.resources == set()


@pytest.fixture(scope="module")
def client(account, off):
    """A client, and the service that gets the texts."""
    account.deploy(OpenId="On")
    administration = Administration(account)
    api_key = administration.create_app("site", SENDER)
    administration.update("site", add_redirect_uri=REDIRECT_URI, openid_client="public")
    key, = (app["appKey"] for app in administration.apps() if app["app"] == "site")
    return SimpleNamespace(of=Client(account, key, REDIRECT_URI), service=Service(account, api_key))


def logged_in(client):
    """Logs a person in. Returns the subject, and the key that signed it."""
    token = client.of.logged_in(client.service).tokens["id_token"]
    return client.of.claims(token)["sub"], signed_by(token)


@pytest.fixture(scope="module")
def turned_on(account, off, client):
    """The account once the provider is on, and the first login."""
    assert account.keys_made() == off.keys + 1
    return SimpleNamespace(
        codes=codes(account), key=account.output("OpenIdKeyArn"), secret=account.output("OpenIdSecretArn"),
        login=logged_in(client),
    )


def test_provider_is_turned_on_by_a_parameter(account, turned_on):
    assert turned_on.codes[5:] == [None] * 3
    assert turned_on.login[1] == account.name(turned_on.key)


@pytest.fixture(scope="module")
def rotated(account, client, turned_on, tmp_path_factory):
    """The account after a rotation of the key, as the page says."""
    new = account.run_page("The OpenID provider", tmp_path_factory.mktemp("rotation")).split()[-1]
    account.deploy(OpenIdPublishedKeyArns=new)
    before = client.of.keys(), logged_in(client)
    account.deploy(OpenIdKeyArn=new, OpenIdPublishedKeyArns=turned_on.key)
    return SimpleNamespace(new=new, before=before, keys=client.of.keys(), login=logged_in(client))


def test_next_key_is_published_before_it_signs(account, turned_on, rotated):
    old, new = account.name(turned_on.key), account.name(rotated.new)
    published, login = rotated.before
    assert [key["kid"] for key in published] == [old, new]
    assert login == turned_on.login
    assert [key["kid"] for key in rotated.keys] == [new, old]
    assert rotated.login == (turned_on.login[0], new)


def test_provider_that_is_off_leaves_key_and_secret_for_the_next_time(account, client, off, turned_on, rotated):
    account.deploy(OpenId="Off", OpenIdKeyArn=None, OpenIdPublishedKeyArns=None)
    assert (codes(account), resources(account)) == (off.codes, set())
    kept = account.client("secretsmanager").describe_secret(SecretId=turned_on.secret)
    assert "DeletedDate" not in kept
    for key in (turned_on.key, rotated.new):
        assert account.client("kms").describe_key(KeyId=key)["KeyMetadata"]["KeyState"] == "Enabled"
    # Otherwise everyone would be a stranger.
    assert turned_on.secret in account.refused(OpenId="On")
    account.deploy(OpenId="On", OpenIdSecretArn=turned_on.secret)
    # The same person is the same subject.
    assert logged_in(client) == rotated.login


def test_checks_of_the_deployment_used_their_rights(account, rotated):
    assert FOR_OPENID <= account.rights_of(account.deployer)
