"""Tests of `make deploy` with an environment's file: in a new account, through a rotation of the signing
key as described in docs/operations.md, and repeated."""

from types import SimpleNamespace

import pytest

from account import EXECUTIONS
from deployment import ARCHITECTURE, STACK

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


def test_changing_other_parameters_keeps_the_rotated_key(account, rotated):
    before = account.keys(), account.keys_made()
    acquire, inbound = account.version("acquire"), account.version("inbound-sms")
    # Parameters that the file leaves out keep their values.
    account.deploy(SigningKeyArn=None, PublishedKeyArns=None, Validity="4m", Release="2026-01-31")
    assert (account.keys(), account.keys_made()) == before
    assert account.output("SigningKeyArn") == rotated.new
    # The change publishes new versions, and callers reach them.
    changed = account.version("acquire")
    assert changed != acquire
    assert account.version("inbound-sms") != inbound
    function = account.client("lambda").get_function_configuration(
        FunctionName=f"{STACK}-acquire", Qualifier=changed
    )
    assert function["Environment"]["Variables"]["COUNTERSIGN_VALIDITY"] == "4m"
    assert function["Architectures"] == [ARCHITECTURE]
