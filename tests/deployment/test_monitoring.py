"""Tests of the nested stack, which holds the alarms that stop no rollout, the dashboard and the budget."""

import re

import pytest

import waiting
from deployment import CAPABILITIES, ROOT, STACK
from emulator import Emulator

MONITORING = (ROOT / "infra" / "monitoring.yaml").read_text(encoding="utf-8")
# The names that these resources had while they were in infra/template.yaml.
FORMER = re.sub(r"-(page|ticket|overview|monthly)-", "-", MONITORING)
BUCKET = "countersign-monitoring"
GIVEN = {
    "Deployment": STACK,
    "HttpApi": "api",
    "SocketApi": "socket",
    "TableName": "table",
    "PageTopic": f"arn:aws:sns:us-east-1:000000000000:{STACK}-pages",
    "TicketTopic": f"arn:aws:sns:us-east-1:000000000000:{STACK}-tickets",
    "Alarms": "On",
    "Lists": "On",
    "OpenId": "On",
    "CarrierLookup": "AWS",
    # The emulator has no budgets.
    "MonthlyBudget": "0",
    "UnmatchedTextsThreshold": "20",
    "SecondPhonesThreshold": "5",
    "RefusalsThreshold": "500",
    "ThrottledThreshold": "20",
}
OUTER = "\n".join(
    [
        "Resources:",
        "  Monitoring:",
        "    Type: AWS::CloudFormation::Stack",
        "    Properties:",
        f"      TemplateURL: https://s3.us-east-1.amazonaws.com/{BUCKET}/monitoring.yaml",
        "      Parameters:",
        *(f'        {name}: "{value}"' for name, value in GIVEN.items()),
    ]
)


class Stack:
    """A stack that first holds all of it itself, as those of earlier versions do."""

    def __init__(self, client):
        self._cloudformation, self._cloudwatch, self._s3 = map(client, ("cloudformation", "cloudwatch", "s3"))
        self._s3.create_bucket(Bucket=BUCKET)
        parameters = [{"ParameterKey": name, "ParameterValue": value} for name, value in GIVEN.items()]
        self._cloudformation.create_stack(
            StackName=STACK, TemplateBody=FORMER, Parameters=parameters, Capabilities=list(CAPABILITIES)
        )
        assert self._status() == "CREATE_COMPLETE"

    def move(self, inner, capabilities=CAPABILITIES):
        """Moves all of it into a nested stack, and returns the status of the update."""
        self._s3.put_object(Bucket=BUCKET, Key="monitoring.yaml", Body=inner.encode())
        self._cloudformation.update_stack(StackName=STACK, TemplateBody=OUTER, Capabilities=list(capabilities))
        return self._status()

    def names(self):
        """Returns the names of alarms and dashboards."""
        pages = self._cloudwatch.get_paginator("describe_alarms").paginate()
        alarms = {alarm["AlarmName"] for page in pages for alarm in page["MetricAlarms"]}
        return alarms | {one["DashboardName"] for one in self._cloudwatch.list_dashboards()["DashboardEntries"]}

    def reasons(self):
        """Returns why something failed."""
        pages = self._cloudformation.get_paginator("describe_stack_events").paginate(StackName=STACK)
        return " ".join(event.get("ResourceStatusReason", "") for page in pages for event in page["StackEvents"])

    def _status(self):
        def ended():
            stack, = self._cloudformation.describe_stacks(StackName=STACK)["Stacks"]
            # A cleanup is still in progress.
            return None if stack["StackStatus"].endswith("IN_PROGRESS") else stack["StackStatus"]

        return waiting.until("the stack", ended)


@pytest.fixture
def stack():
    # Nothing calls a function here.
    running = Emulator(functions_call="http://127.0.0.1:9")
    yield Stack(running.client)
    running.close()


def test_alarms_of_an_existing_stack_move(stack):
    former = stack.names()
    assert f"{STACK}-api-errors" in former
    assert stack.move(MONITORING) == "UPDATE_COMPLETE"
    moved = stack.names()
    assert {f"{STACK}-page-api-errors", f"{STACK}-ticket-deliveries-failed"} <= moved
    assert len(moved) == len(former)
    assert not moved & former


def test_former_names_would_be_refused(stack):
    """The former resources are there until those that replace them have been made."""
    former = stack.names()
    assert stack.move(FORMER) == "UPDATE_ROLLBACK_COMPLETE"
    assert "already exists" in stack.reasons()
    # The update is rolled back, and everything is monitored as before.
    assert stack.names() == former


def test_loops_need_a_capability(stack):
    assert stack.move(MONITORING, CAPABILITIES[:1]) == "UPDATE_ROLLBACK_COMPLETE"
    assert "CAPABILITY_AUTO_EXPAND" in stack.reasons()
