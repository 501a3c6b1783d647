"""Tests of `make deploy` with an environment's file: in a new account, through a rotation of the signing
key as described in docs/operations.md, and repeated."""

from types import SimpleNamespace

import pytest

import http_api
from account import EXECUTIONS
from deployment import ARCHITECTURE, STACK

# Routes that require the index `started`.
LISTS = ("/confirmations", "/qr-sessions")
NO_CHANGES = f"No changes to deploy. Stack {STACK} is up to date"


@pytest.fixture(scope="module")
def rotated(account):
    """The account after its first deployment and a rotation of the signing key."""
    first = account.deploy()
    old = account.output("SigningKeyArn")
    assert account.keys() == [account.name(old)]
    new = account.new_key()
    account.deploy(PublishedKeyArns=new)
    both_published = account.keys()
    account.deploy(SigningKeyArn=new, PublishedKeyArns=old)
    return SimpleNamespace(first=first, old=old, new=new, both_published=both_published)


def test_deploy_reports_the_concurrency_of_a_new_account(rotated):
    assert f"This account runs {EXECUTIONS} functions at once" in rotated.first
    assert "up to 2 for first attempts and 2 for retries" in rotated.first


def test_rotated_key_is_published_before_it_signs(account, rotated):
    old, new = account.name(rotated.old), account.name(rotated.new)
    assert rotated.both_published == [old, new]
    assert account.keys() == [new, old]
    assert account.output("SigningKeyArn") == rotated.new


def test_deploying_again_changes_nothing(account, rotated):
    before = account.keys(), account.keys_made(), account.version("well-known")
    assert NO_CHANGES in account.deploy()
    assert (account.keys(), account.keys_made(), account.version("well-known")) == before
    assert account.output("SigningKeyArn") == rotated.new


@pytest.fixture(scope="module")
def before(account, rotated):
    """The state before other parameters changed."""
    found = SimpleNamespace(
        keys=account.keys(),
        keys_made=account.keys_made(),
        versions={function: account.version(function) for function in ("acquire", "inbound-sms")},
        lists=[http_api.call(account, "GET", path).status for path in LISTS],
    )
    other = {"Validity": "4m", "Lists": "Off", "Release": "2026-01-31"}
    # Parameters that the file leaves out keep their values.
    account.deploy(SigningKeyArn=None, PublishedKeyArns=None, **other)
    return found


def test_changing_other_parameters_keeps_the_rotated_key(account, rotated, before):
    assert (account.keys(), account.keys_made()) == (before.keys, before.keys_made)
    assert account.output("SigningKeyArn") == rotated.new


def test_change_publishes_versions_that_callers_reach(account, before):
    for function, version in before.versions.items():
        assert account.version(function) != version
    function = account.client("lambda").get_function_configuration(
        FunctionName=f"{STACK}-acquire", Qualifier=account.version("acquire")
    )
    assert function["Environment"]["Variables"]["COUNTERSIGN_VALIDITY"] == "4m"
    assert function["Architectures"] == [ARCHITECTURE]


def test_lists_go_with_their_index(account, before):
    assert before.lists == [401, 401]
    assert [http_api.call(account, "GET", path).status for path in LISTS] == [404, 405]
    table = account.client("dynamodb").describe_table(TableName=account.table)["Table"]
    assert [index["IndexName"] for index in table["GlobalSecondaryIndexes"]] == ["due", "apps"]
