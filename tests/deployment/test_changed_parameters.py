"""Tests that changed parameters take effect, and stop nothing meanwhile, where a stack is deployed without `make deploy`: by
`sam deploy`, as the page of a release says, and by the calls of the Terraform module."""

import pytest

import deployment as deploying
from account import Account
from administration import Administration
from counting_proxy import proxied_emulator
from deployment import ARTIFACTS, STACK, Deployment
from service import Service
from terraform import Terraform

RESTORED = "countersign-restored"
ALIAS = "live"


class Stack:
    """A stack, and what an operator sees of it."""

    def __init__(self, running, apply):
        self._emulator, self.client, self.apply = running, running.client, apply
        apply()

    outputs, output, table, endpoint = Account.outputs, Account.output, Account.table, Account.endpoint
    api, log, version = Account.api, Account.log, Account.version
    role, statements = Deployment.role, Deployment.statements

    def setting(self, function, name):
        """Returns a variable of the version that callers reach."""
        found = self.client("lambda").get_function_configuration(FunctionName=f"{STACK}-{function}", Qualifier=ALIAS)
        return found["Environment"]["Variables"][name]

    def policies(self, function):
        """Returns the names of the policies in a function's role."""
        return self.client("iam").list_role_policies(RoleName=self.role(function))["PolicyNames"]

    def events(self):
        """Returns the events of the last update, oldest first: the logical id, the physical id, and the status."""
        pages = self.client("cloudformation").get_paginator("describe_stack_events").paginate(StackName=STACK)
        found = []
        for event in (event for page in pages for event in page["StackEvents"]):
            found.append((event["LogicalResourceId"], event["PhysicalResourceId"], event["ResourceStatus"]))
            if found[-1][0] == STACK and found[-1][2] == "UPDATE_IN_PROGRESS":
                break
        return found[::-1]

    def tables_of(self, function):
        """Returns the names of the tables that a function's role may read."""
        reading = (one for one in self.statements(function) if "dynamodb:GetItem" in one["Action"])
        return {statement["Resource"].rpartition("/")[2] for statement in reading}


@pytest.fixture(scope="module", params=["sam", "terraform"])
def stack(request, built, tmp_path_factory):
    with proxied_emulator() as emulator:
        if request.param == "terraform":
            apply = Terraform(emulator, built, tmp_path_factory.mktemp("terraform") / "checkout").apply
        else:
            emulator.client("s3").create_bucket(Bucket=ARTIFACTS)

            def apply(**parameters):
                deploying.deploy(emulator, built, **parameters)

        yield Stack(emulator, apply)


@pytest.fixture(scope="module")
def service(stack):
    return Service(stack, Administration(stack).create_app("shop", "+12025550199"))


def test_changed_parameter_reaches_callers(stack):
    former = {name: stack.version(name) for name in ("acquire", "well-known")}
    stack.apply(Validity="4m")
    assert stack.setting("acquire", "COUNTERSIGN_VALIDITY") == "4m"
    assert all(stack.version(name) != version for name, version in former.items())


def test_parameter_that_no_function_depends_on_publishes_nothing(stack):
    former = stack.version("acquire")
    stack.apply(Validity="4m", UnmatchedTextsThreshold="30")
    assert stack.version("acquire") == former


def test_table_changes_without_an_interruption(stack, service, receiver):
    former = stack.table
    kept = service.acquire(receiver.new_url())
    stack.client("dynamodb").restore_table_to_point_in_time(
        SourceTableName=former, TargetTableName=RESTORED, UseLatestRestorableTime=True
    )
    policy, version = stack.policies("acquire"), stack.version("acquire")
    stack.apply(Validity="4m", ExistingTableName=RESTORED)
    # Replaced resources stay until the update is complete, so the live version keeps its table until the alias has moved.
    done = [(name, physical) for name, physical, status in stack.events() if status == "UPDATE_COMPLETE"]
    order = [name for name, _ in done if name in ("AcquirePolicy", f"AcquireFunctionAlias{ALIAS}")]
    assert order == ["AcquirePolicy", f"AcquireFunctionAlias{ALIAS}"]
    assert stack.policies("acquire") != policy
    assert dict(done)["AcquirePolicy"].startswith(*stack.policies("acquire"))
    assert stack.version("acquire") != version
    assert stack.table == RESTORED
    assert service.state(kept)["status"] == "open"
    # The permission for the former table is gone.
    assert stack.tables_of("acquire") == {RESTORED}


def test_alarms_can_be_switched_off(stack):
    cloudwatch = stack.client("cloudwatch")
    assert cloudwatch.describe_alarms()["MetricAlarms"]
    # The emulator's change sets do not recognize a change of only a condition.
    stack.apply(ExistingTableName=stack.table, Validity="3m", Alarms="Off")
    assert not cloudwatch.describe_alarms()["MetricAlarms"]
    assert not cloudwatch.list_dashboards()["DashboardEntries"]
    # The topics stay, with their subscriptions.
    assert {"PageTopicArn", "TicketTopicArn"} <= stack.outputs.keys()
