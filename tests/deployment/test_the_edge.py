"""Tests of infra/edge.yaml, and of a deployment that admits only what comes through it.

They come last of the tests of this account, which then refuses everything else."""

import pytest

import http_api
import stacks
from account import CERTIFICATE, DOMAIN
from deployment import ROOT

HEADER = "x-countersign-origin-secret"


@pytest.fixture(scope="module")
def edge(account):
    """The outputs of the stack, beside a deployment with another name."""
    account.ensure_deployed()
    outputs = stacks.create(
        account.client,
        "countersign-edge",
        (ROOT / "infra" / "edge.yaml").read_text(encoding="utf-8"),
        DomainName=DOMAIN,
        LinkHosts="login.shop.example,login.other.example",
        CertificateArn=CERTIFICATE,
        ApiRegion="us-east-1",
        ApiDomainTarget=account.output("ApiDomainTarget"),
        SocketHost=account.output("SocketHost"),
    )
    account.deploy(OriginSecretArn=outputs["OriginSecretArn"], EdgeOnly="On")
    return outputs


@pytest.fixture(scope="module")
def secret(account, edge):
    value = account.client("secretsmanager").get_secret_value(SecretId=edge["OriginSecretArn"])
    return value["SecretString"]


def test_distribution_sends_the_secret_and_the_name_that_was_asked_for(account, edge, secret):
    cloudfront = account.client("cloudfront")
    found = cloudfront.list_distributions()["DistributionList"]["Items"]
    distribution, = (one for one in found if one["DomainName"] == edge["DistributionDomainName"])
    config = cloudfront.get_distribution_config(Id=distribution["Id"])["DistributionConfig"]
    assert set(config["Aliases"]["Items"]) == {DOMAIN, "login.shop.example", "login.other.example"}
    origins = {origin["Id"]: origin for origin in config["Origins"]["Items"]}
    assert origins["api"]["DomainName"] == account.output("ApiDomainTarget")
    header, = origins["api"]["CustomHeaders"]["Items"]
    assert header == {"HeaderName": HEADER, "HeaderValue": secret}
    assert origins["socket"]["DomainName"] == account.output("SocketHost")
    assert config["WebACLId"]
    behaviors = {one["PathPattern"]: one["TargetOriginId"] for one in config["CacheBehaviors"]["Items"]}
    assert behaviors == {"/widget*": "api", "/socket": "socket"}


def test_only_what_comes_through_the_edge_is_answered(account, secret):
    def status(path, **headers):
        return http_api.call(account, "GET", path, headers=headers).status

    ours = ("/healthz", "/.well-known/jwks.json", "/confirmations/none", "/qr-sessions/none", "/phone-registrations/none")
    for path in (*ours, "/nothing"):
        assert status(path) == 401, path
        assert status(path, **{HEADER: "f" * 64}) == 403, path
    assert status("/healthz", **{HEADER: secret}) == 200
    # The routes then answer by themselves.
    assert status("/nothing", **{HEADER: secret}) == 404
    assert account.output("SocketUrl") == f"wss://{DOMAIN}/socket"


def test_requests_are_refused_without_the_right_to_the_secret(account, secret):
    admitted = {HEADER: secret}
    with account.without("origin-check", "secretsmanager:GetSecretValue"):
        account.restart("origin-check")
        # Not an address for which the answer is cached.
        answer = http_api.call(account, "GET", "/healthz", headers={HEADER: "e" * 64})
        assert answer.status >= 500
    account.restart("origin-check")
    assert http_api.call(account, "GET", "/healthz", headers=admitted).status == 200
