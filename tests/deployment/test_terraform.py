"""Tests that the packaged template, which `infra/terraform` deploys, makes the same resources as SAM.
Terraform's provider is not available here, so the test makes the calls that the module would cause."""

import re
from pathlib import Path

import pytest

import waiting
from checkout import Checkout
from deployment import ARCHITECTURE, CARRIER_LOOKUP, ROOT, STACK
from emulator import REGION, Emulator

MODULE = Path(ROOT, "infra", "terraform", "main.tf").read_text(encoding="utf-8")
BUCKET = "countersign-terraform"
CHANGES = {
    "an-s3-bucket-of-yours": BUCKET,
    'architecture = "arm64"': f'architecture = "{ARCHITECTURE}"',
    'rollout = "Canary10Percent5Minutes"': 'rollout = "AllAtOnce"',
}


def resources(cloudformation):
    """Returns the logical ids and types of a stack's resources. The ids of versions end in a hash of the
    code, which is cut off."""
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=STACK)
    return {
        (re.sub(r"(?<=Version)[0-9a-f]{10}$", "", found["LogicalResourceId"]), found["ResourceType"])
        for page in pages
        for found in page["StackResourceSummaries"]
    }


@pytest.fixture
def emulator():
    # Nothing calls a function here.
    running = Emulator(functions_call="http://127.0.0.1:9")
    yield running
    running.close()


def test_packaged_template_creates_the_same_stack_as_sam(deployment, built, emulator, tmp_path):
    s3, cloudformation = emulator.client("s3"), emulator.client("cloudformation")
    s3.create_bucket(Bucket=BUCKET)
    checkout = Checkout(
        tmp_path / "checkout", COUNTERSIGN_BUILT=str(built), AWS_ENDPOINT_URL=emulator.url
    )
    text = Path(ROOT, "infra", "environments", "example.tfvars").read_text(encoding="utf-8")
    for old, new in CHANGES.items():
        assert old in text, old
        text = text.replace(old, new)
    environment = tmp_path / "checkout" / "infra" / "environments" / "production.tfvars"
    environment.write_text(text, encoding="utf-8")
    ended, said = checkout.run("infra/terraform/package.sh", "production")
    assert ended == 0, said

    packaged = tmp_path / "checkout" / ".aws-sam" / "packaged.yaml"
    s3.upload_file(str(packaged), BUCKET, "countersign/template.yaml")
    parameters = {
        "Architecture": ARCHITECTURE,
        "CarrierLookup": CARRIER_LOOKUP,
        "SigningKeyArn": "",
        "PublishedKeyArns": "",
    }
    capabilities = re.search(r"capabilities += \[(.*)\]", MODULE)[1].replace('"', "").split(", ")
    cloudformation.create_stack(
        StackName=STACK,
        # In path style, because the emulator does not look for a bucket in the host name.
        TemplateURL=f"https://s3.{REGION}.amazonaws.com/{BUCKET}/countersign/template.yaml",
        Parameters=[
            {"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()
        ],
        Capabilities=capabilities,
    )

    def ended_as():
        (stack,) = cloudformation.describe_stacks(StackName=STACK)["Stacks"]
        return stack["StackStatus"] if not stack["StackStatus"].endswith("IN_PROGRESS") else None

    assert waiting.until("the stack", ended_as) == "CREATE_COMPLETE"
    assert resources(cloudformation) == resources(deployment.client("cloudformation"))
