"""Tests that the packaged template, which `infra/terraform` deploys, makes the same resources as SAM."""

import re
from pathlib import Path

import pytest

from deployment import CARRIER_LOOKUP, ROOT, STACK
from emulator import Emulator
from terraform import Terraform

FOLDER = Path(ROOT, "infra", "terraform")


def resources(cloudformation, stack=STACK):
    """Returns the logical ids and types of a stack's resources, and of those of stacks within it. The ids of versions
    end in a hash of the code, which is cut off."""
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack)
    found = [one for page in pages for one in page["StackResourceSummaries"]]
    inner = (one["PhysicalResourceId"] for one in found if one["ResourceType"] == "AWS::CloudFormation::Stack")
    return {
        (re.sub(r"(?<=Version)[0-9a-f]{10}$", "", one["LogicalResourceId"]), one["ResourceType"]) for one in found
    }.union(*(resources(cloudformation, stack) for stack in inner))


@pytest.fixture
def emulator():
    # Nothing calls a function here.
    running = Emulator(functions_call="http://127.0.0.1:9")
    yield running
    running.close()


def test_packaged_template_creates_the_same_stack_as_sam(deployment, built, emulator, tmp_path):
    Terraform(emulator, built, tmp_path / "checkout").apply(CarrierLookup=CARRIER_LOOKUP, OpenId="On")
    made = resources(emulator.client("cloudformation"))
    assert made == resources(deployment.client("cloudformation"))
    assert {("Monitoring", "AWS::CloudFormation::Stack"), ("ApiErrorsAlarm", "AWS::CloudWatch::Alarm")} <= made


def test_readme_names_each_variable_that_a_configuration_has_to_set():
    declared = (FOLDER / "variables.tf").read_text(encoding="utf-8")
    blocks = re.findall(r'^variable "(\w+)" \{(.*?)\}$', declared, re.M | re.S)
    required = {name for name, body in blocks if not re.search(r"\bdefault\s*=", body)}
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", readme, re.M)
    assert set(listed) == required
