"""Tests of `make deploy` with an environment's file: in a new account, through a rotation of the signing
key as described in docs/operations.md, and repeated."""

import base64
import hashlib
import json
from types import SimpleNamespace

import pytest

import http_api
from checkout import Checkout
from counting_proxy import CountingProxy
from deployment import ARCHITECTURE
from emulator import Emulator

STACK = "countersign"
NO_CHANGES = f"No changes to deploy. Stack {STACK} is up to date"
# The limit of concurrent executions in new accounts.
EXECUTIONS = 10


class Account:
    """A new AWS account, and the environment that an operator deploys there."""

    def __init__(self, running, checkout):
        self._emulator = running
        self._checkout = checkout
        self.client = running.client

    def deploy(self, **parameters):
        """Edits the environment's file, deploys it, and returns the output."""
        self._checkout.set("production", **parameters)
        ended, said = self._checkout.deploy()
        assert ended == 0, f"{said}\n{self._emulator.log.read_text(errors='replace')[-3000:]}"
        return said

    def output(self, key):
        """Returns one of the stack's outputs."""
        stack, = self.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"]
        return {out["OutputKey"]: out["OutputValue"] for out in stack["Outputs"]}[key]

    def version(self, function):
        """Returns the version of a function that callers reach."""
        alias = self.client("lambda").get_alias(FunctionName=f"{STACK}-{function}", Name="live")
        return alias["FunctionVersion"]

    def api(self):
        """Returns where the HTTP API is, as `Deployment.api` does."""
        port = self._emulator.port
        return "127.0.0.1", port, f"{self.output('ApiId')}.execute-api.localhost:{port}"

    def keys(self):
        """Returns the ids of the published keys, the signing key first."""
        answer = http_api.call(self, "GET", "/.well-known/jwks.json")
        assert answer.status == 200, answer.body
        return [key["kid"] for key in answer.json()["keys"]]

    def keys_made(self):
        """Returns the number of KMS keys in the account."""
        return len(self.client("kms").list_keys()["Keys"])

    def new_key(self):
        """Creates a key with the policy of the current one, as the runbook's first step does."""
        kms = self.client("kms")
        current = kms.get_key_policy(KeyId=self.output("SigningKeyArn"), PolicyName="default")
        made = kms.create_key(
            KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY", Policy=current["Policy"]
        )
        return made["KeyMetadata"]["Arn"]

    def name(self, key):
        """Returns a key's id in the key set: its thumbprint by RFC 7638."""
        der = self.client("kms").get_public_key(KeyId=key)["PublicKey"]
        x, y = (base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (der[-64:-32], der[-32:]))
        jwk = json.dumps({"crv": "P-256", "kty": "EC", "x": x, "y": y}, separators=(",", ":"))
        return base64.urlsafe_b64encode(hashlib.sha256(jwk.encode()).digest()).decode().rstrip("=")


@pytest.fixture(scope="module")
def account(built, tmp_path_factory):
    proxy = CountingProxy()
    emulator = Emulator(functions_call=proxy.url, LAMBDA_ACCOUNT_CONCURRENCY=str(EXECUTIONS))
    try:
        proxy.upstream = ("127.0.0.1", emulator.port)
        checkout = Checkout(
            tmp_path_factory.mktemp("operator") / "checkout",
            COUNTERSIGN_BUILT=str(built),
            AWS_ENDPOINT_URL=emulator.url,
        )
        checkout.add("production")
        yield Account(emulator, checkout)
    finally:
        emulator.close()
        proxy.close()


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
    # The same holds for the file as the runbook leaves it.
    account.deploy(SigningKeyArn=rotated.new, PublishedKeyArns=rotated.old)
    assert (account.keys(), account.keys_made()) == before
