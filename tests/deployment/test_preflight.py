"""Tests of what `deploy.sh` refuses and reports before it deploys anything."""

import json

import pytest

from checkout import Checkout

OLD, NEW, THIRD = (f"arn:aws:kms:us-east-1:000000000000:key/{name}" for name in ("old", "new", "third"))
DEPLOYED = "sam deploy"


def limit(executions):
    return {"get-account-settings": {"AccountLimit": {"ConcurrentExecutions": executions}}}


def stack(signing, parameter, published="", table="", **more):
    parameters = {"SigningKeyArn": parameter, "PublishedKeyArns": published, "ExistingTableName": table}
    parameters |= {"LocalKey": "", "LocalPublicKeys": "", **more}
    return {
        "describe-stacks": {
            "Stacks": [
                {
                    "Outputs": [{"OutputKey": "SigningKeyArn", "OutputValue": signing}],
                    "Parameters": [
                        {"ParameterKey": key, "ParameterValue": value}
                        for key, value in parameters.items()
                    ],
                }
            ]
        }
    }


@pytest.fixture
def checkout(tmp_path):
    """Returns a function that makes a checkout with one environment, and sets what the account answers."""

    def made(answers=None, **parameters):
        answers = json.dumps({**limit(1000), **(answers or {})})
        one = Checkout(tmp_path / "checkout", COUNTERSIGN_ANSWERS=answers)
        one.add("production")
        one.set("production", **parameters)
        return one

    return made


def test_environment_name_is_optional_only_if_there_is_one(checkout):
    one = checkout()
    ended, said = one.deploy()
    assert (ended, "infra/environments/production.toml" in said) == (0, True), said
    one.add("staging")
    ended, said = one.deploy()
    assert (ended, DEPLOYED in said) == (1, False), said
    assert "production staging" in said
    ended, said = one.deploy("staging", "--no-execute-changeset")
    assert ended == 0, said
    assert said.strip().endswith("infra/environments/staging.toml --no-execute-changeset")
    ended, said = one.deploy("stagnig")
    assert (ended, DEPLOYED in said) == (1, False), said


def test_missing_environment_is_explained(tmp_path):
    ended, said = Checkout(tmp_path / "checkout").deploy()
    assert ended == 1, said
    assert "infra/environments/example.toml" in said


@pytest.mark.parametrize("option", ["--guided", "--parameter-overrides", "--config-env=x", "--profile"])
def test_options_that_belong_in_the_file_are_refused(checkout, option):
    ended, said = checkout().deploy("production", option, "Validity=3m")
    assert (ended, DEPLOYED in said) == (1, False), said
    assert "infra/environments/production.toml" in said


def test_concurrency_left_for_requests_is_reported(checkout):
    ended, said = checkout(limit(10)).deploy()
    assert (ended, DEPLOYED in said) == (0, True), said
    assert "This account runs 10 functions at once" in said
    assert "up to 2 for first attempts and 2 for retries, which leaves 6" in said
    assert "Service Quotas" in said
    assert "little" not in said


def test_dispatchers_that_take_all_concurrency_cause_a_warning(checkout):
    ended, said = checkout(limit(10), FirstAttemptsConcurrency=8).deploy()
    assert ended == 0, said
    assert "up to 8 for first attempts and 2 for retries, which leaves 0" in said
    assert "callers will be throttled" in said


@pytest.mark.parametrize(
    ("region", "lacking"),
    [
        ("eu-north-1", "budgets"),
        ("cn-north-1", "numbers for texts"),
        ("ap-east-1", "budgets (AWS::Budgets::Budget) and numbers for texts"),
        ("eu-central-1", None),
    ],
)
def test_region_whose_cloudformation_would_refuse_the_template_is_refused(checkout, region, lacking):
    one = checkout()
    one.write("production", one.read("production").replace('region = "us-east-1"', f'region = "{region}"'))
    ended, said = one.deploy()
    assert (ended, DEPLOYED in said) == ((1, False) if lacking else (0, True)), said
    if lacking:
        assert f"has no {lacking}" in said
        assert f"in {region}" in said


def test_file_of_an_earlier_version_lacks_a_capability(checkout):
    one = checkout()
    text = one.read("production")
    assert " CAPABILITY_AUTO_EXPAND" in text
    one.write("production", text.replace(" CAPABILITY_AUTO_EXPAND", ""))
    ended, said = one.deploy()
    assert (ended, DEPLOYED in said) == (1, False), said
    assert 'must say capabilities = "CAPABILITY_NAMED_IAM CAPABILITY_AUTO_EXPAND"' in said


def test_unknown_limit_is_assumed_to_be_that_of_a_new_account(checkout):
    ended, said = checkout({"get-account-settings": None}).deploy()
    assert (ended, DEPLOYED in said) == (0, True), said
    assert "Assuming that of a new account, 10." in said


@pytest.mark.parametrize(
    ("executions", "reserved", "ended"), [(10, 1, 1), (1000, 81, 0), (1000, 82, 1), (10, 0, 0)]
)
def test_reservation_that_lambda_would_refuse_stops_the_deployment(checkout, executions, reserved, ended):
    found, said = checkout(limit(executions), ReservedConcurrency=reserved).deploy()
    assert (found, DEPLOYED in said) == (ended, ended == 0), said
    assert ("Lambda would refuse" in said) == (ended == 1)


@pytest.mark.parametrize(
    ("deployed", "wanted", "published", "ended"),
    [
        # Nothing changes.
        ((OLD, ""), None, None, 0),
        ((OLD, ""), "", None, 0),
        ((NEW, NEW, OLD), NEW, OLD, 0),
        # The two steps of the runbook, and a file that leaves both parameters out.
        ((OLD, ""), None, NEW, 0),
        ((OLD, "", NEW), NEW, OLD, 0),
        ((NEW, NEW, OLD), None, None, 0),
        # The stack's own key, given by its ARN.
        ((OLD, ""), OLD, None, 0),
        # Would undo the rotation and create a third key.
        ((NEW, NEW, OLD), "", "", 1),
        # The key was never published.
        ((OLD, ""), NEW, OLD, 1),
        ((NEW, NEW, OLD), THIRD, OLD, 1),
    ],
)
def test_unpublished_signing_key_stops_the_deployment(checkout, deployed, wanted, published, ended):
    one = checkout(stack(*deployed), SigningKeyArn=wanted, PublishedKeyArns=published)
    found, said = one.deploy()
    assert (found, DEPLOYED in said) == (ended, ended == 0), said
    assert "is not checked" not in said


@pytest.mark.parametrize(
    ("deployed", "wanted", "answer", "ended"),
    [
        ("", "", None, 0),
        ("", "restored", {"Table": {"TableStatus": "ACTIVE"}}, 0),
        ("restored", "former", None, 0),
        # A file that leaves it out changes nothing.
        ("restored", None, None, 0),
        # Would create a new table, or use none.
        ("restored", "", None, 1),
        ("", "restord", "missing", 1),
    ],
)
def test_empty_or_missing_table_stops_the_deployment(checkout, deployed, wanted, answer, ended):
    answers = stack(OLD, "", table=deployed) | {"describe-table": answer}
    found, said = checkout(answers, ExistingTableName=wanted).deploy()
    assert (found, DEPLOYED in said) == (ended, ended == 0), said


@pytest.mark.parametrize(
    ("published", "key", "public", "ended"),
    [("", "", "", 0), ("UA==", "a2V5", "UA==", 0), ("UQ==,UA==", "a2V5", "UA==,UQ==", 0), ("UQ==", "a2V5", "UA==", 1)],
)
def test_unpublished_local_key_stops_the_deployment(checkout, published, key, public, ended):
    one = checkout(stack(OLD, "", LocalPublicKeys=published), LocalKey=key, LocalPublicKeys=public)
    found, said = one.deploy()
    assert (found, DEPLOYED in said) == (ended, ended == 0), said


SECRET, OTHER_SECRET = (
    f"arn:aws:secretsmanager:us-east-1:000000000000:secret:{name}" for name in ("countersign-openid-1a2b3c", "other-4d5e6f")
)
USABLE = {"KeySpec": "ECC_NIST_P256", "KeyUsage": "SIGN_VERIFY", "KeyState": "Enabled"}


def provider(signing=OLD, parameter="", published="", secret=SECRET, given=""):
    """Returns a stack whose OpenID provider is on."""
    parameters = {"OpenId": "On", "OpenIdKeyArn": parameter, "OpenIdPublishedKeyArns": published, "OpenIdSecretArn": given}
    found = stack(THIRD, "", **parameters)
    found["describe-stacks"]["Stacks"][0]["Outputs"] += [
        {"OutputKey": "OpenIdKeyArn", "OutputValue": signing},
        {"OutputKey": "OpenIdSecretArn", "OutputValue": secret},
    ]
    return found


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        (USABLE, None),
        ({**USABLE, "KeySpec": "RSA_2048"}, "it is RSA_2048, SIGN_VERIFY, Enabled"),
        ({**USABLE, "KeyUsage": "KEY_AGREEMENT"}, "it is ECC_NIST_P256, KEY_AGREEMENT, Enabled"),
        ({**USABLE, "KeyState": "Disabled"}, "it is ECC_NIST_P256, SIGN_VERIFY, Disabled"),
        ({**USABLE, "KeyState": "PendingDeletion"}, "it is ECC_NIST_P256, SIGN_VERIFY, PendingDeletion"),
        ("missing", "does not exist in us-east-1"),
    ],
)
def test_unusable_key_of_the_openid_provider_stops_the_deployment(checkout, metadata, said):
    key = metadata if metadata == "missing" else {"KeyMetadata": metadata}
    one = checkout(provider(OLD, OLD, NEW) | {"describe-key": key}, OpenId="On", OpenIdKeyArn=NEW)
    ended, printed = one.deploy()
    assert (ended, DEPLOYED in printed) == ((1, False) if said else (0, True)), printed
    if said:
        assert f"the key {NEW} of OpenIdKeyArn" in printed and said in printed


def test_key_of_the_openid_provider_is_not_checked_while_it_is_off(checkout):
    ended, said = checkout({"describe-key": "missing"}, OpenIdKeyArn=NEW).deploy()
    assert (ended, DEPLOYED in said) == (0, True), said


def test_unchecked_key_of_the_openid_provider_is_reported(checkout):
    ended, said = checkout(OpenId="On", OpenIdKeyArn=NEW).deploy()
    assert (ended, DEPLOYED in said) == (0, True), said
    assert "OpenIdKeyArn is not checked (no aws command, or no permission for kms:DescribeKey)." in said


@pytest.mark.parametrize("webhooks", [{"SigningKeyArn": NEW}, {"PublishedKeyArns": f"{OLD},{NEW}"}, "deployed"])
def test_key_of_webhooks_signs_no_id_tokens(checkout, webhooks):
    deployed = stack(NEW, "") if webhooks == "deployed" else {}
    parameters = {} if webhooks == "deployed" else webhooks
    one = checkout(deployed | {"describe-key": {"KeyMetadata": USABLE}}, OpenId="On", OpenIdKeyArn=NEW, **parameters)
    ended, said = one.deploy()
    assert (ended, DEPLOYED in said) == (1, False), said
    assert "OpenIdKeyArn is a key of webhooks" in said


@pytest.mark.parametrize(
    ("deployed", "wanted", "published", "ended"),
    [
        ((OLD, ""), None, NEW, 0),
        ((OLD, "", NEW), NEW, OLD, 0),
        # Would undo the rotation.
        ((NEW, NEW, OLD), "", "", 1),
        # The key was never published.
        ((OLD, ""), NEW, OLD, 1),
    ],
)
def test_unpublished_key_of_id_tokens_stops_the_deployment(checkout, deployed, wanted, published, ended):
    answers = provider(*deployed) | {"describe-key": {"KeyMetadata": USABLE}}
    found, said = checkout(answers, OpenId="On", OpenIdKeyArn=wanted, OpenIdPublishedKeyArns=published).deploy()
    assert (found, DEPLOYED in said) == (ended, ended == 0), said


@pytest.mark.parametrize(
    ("deployed", "retained", "wanted", "ended"),
    [
        # The first time.
        (stack(THIRD, "", OpenId="Off"), "missing", None, 0),
        # Again, after it was off.
        (stack(THIRD, "", OpenId="Off"), {"ARN": SECRET}, None, 1),
        (stack(THIRD, "", OpenId="Off"), {"ARN": SECRET}, SECRET, 0),
        # Nothing changes.
        (provider(), {"ARN": SECRET}, None, 0),
        # Every user would be a stranger.
        (provider(), {"ARN": SECRET}, OTHER_SECRET, 1),
        (provider(secret=OTHER_SECRET, given=OTHER_SECRET), {"ARN": SECRET}, "", 1),
    ],
)
def test_another_secret_of_the_openid_provider_stops_the_deployment(checkout, deployed, retained, wanted, ended):
    one = checkout(deployed | {"describe-secret": retained}, OpenId="On", OpenIdSecretArn=wanted)
    found, said = one.deploy()
    assert (found, DEPLOYED in said) == (ended, ended == 0), said
    assert ("every user would be a stranger" in said) == (ended == 1)


def test_reservation_counts_the_function_of_the_openid_provider(checkout):
    # 76 for each of twelve functions are more than 900, and for eleven they are not.
    ended, said = checkout(limit(1000), ReservedConcurrency=76, OpenId="On").deploy()
    assert (ended, DEPLOYED in said) == (1, False), said


@pytest.mark.parametrize("name", ["c" * 33, "1st", "my_stack"])
def test_name_that_aws_would_refuse_stops_the_deployment(checkout, name):
    one = checkout()
    one.write("production", f'stack_name = "{name}"\nregion = "us-east-1"\n')
    found, said = one.deploy()
    assert (found, DEPLOYED in said) == (1, False), said
    assert f"the name {name} cannot be used" in said


def test_unchecked_signing_key_is_reported(checkout):
    ended, said = checkout(SigningKeyArn=NEW).deploy()
    assert (ended, DEPLOYED in said) == (0, True), said
    assert "SigningKeyArn is not checked" in said


def test_old_sam_is_refused(tmp_path):
    one = Checkout(
        tmp_path / "checkout", COUNTERSIGN_ANSWERS="{}", COUNTERSIGN_SAM_VERSION="1.159.0"
    )
    one.add("production")
    ended, said = one.deploy()
    assert (ended, DEPLOYED in said) == (1, False), said
    assert "sam 1.159 is too old" in said


def test_file_written_by_sam_is_understood(checkout):
    # The format in which `sam deploy --guided` writes the file.
    one = checkout(stack(NEW, NEW, OLD))
    one.write(
        "production",
        """version = 0.1
[default.global.parameters]
stack_name = "countersign"
region = "us-east-1"
[default.deploy.parameters]
parameter_overrides = "Sender=\\"\\" SigningKeyArn=\\"\\" PublishedKeyArns=\\"\\" Rollout=\\"AllAtOnce\\""
""",
    )
    ended, said = one.deploy()
    assert (ended, DEPLOYED in said) == (1, False), said
    assert NEW in said
