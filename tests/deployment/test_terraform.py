"""Tests that the packaged template, which `infra/terraform` deploys, makes the same resources as SAM."""

import re
from pathlib import Path

import pytest

from deployment import CARRIER_LOOKUP, ROOT, STACK
from emulator import Emulator
from terraform import Terraform

FOLDER = Path(ROOT, "infra", "terraform")


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
    Terraform(emulator, built, tmp_path / "checkout").apply(CarrierLookup=CARRIER_LOOKUP)
    assert resources(emulator.client("cloudformation")) == resources(deployment.client("cloudformation"))


def test_readme_names_each_variable_that_a_configuration_has_to_set():
    declared = (FOLDER / "variables.tf").read_text(encoding="utf-8")
    blocks = re.findall(r'^variable "(\w+)" \{(.*?)\}$', declared, re.M | re.S)
    required = {name for name, body in blocks if not re.search(r"\bdefault\s*=", body)}
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", readme, re.M)
    assert set(listed) == required
