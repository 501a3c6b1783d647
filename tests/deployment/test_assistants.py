"""Tests of `countersign mcp` on the deployed table, with rights to read and no others."""

import json
import os
import subprocess

import pytest

import emulator
from conftest import APP
from users import User

READING = ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"]


@pytest.fixture(scope="module")
def reader(deployment):
    """A user who may read the table."""
    table = deployment.client("dynamodb").describe_table(TableName=deployment.table)["Table"]["TableArn"]
    statement = {"Effect": "Allow", "Action": READING, "Resource": [table, f"{table}/index/*"]}
    return User(deployment.client, "robin", [statement])


def converse(deployment, user, *calls):
    """Calls tools, one line each, and returns the answers in this order."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
    lines = [
        {"id": 0, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        *(
            {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
            for number, (name, arguments) in enumerate(calls, 1)
        ),
    ]
    done = subprocess.run(
        [os.environ["COUNTERSIGN_BIN"], f"--table={deployment.table}", "mcp"],
        env=emulator.environment(AWS_ENDPOINT_URL=deployment.endpoint, **user.credentials),
        input="".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    return [answers[number] for number in range(1, len(calls) + 1)]


def test_assistant_reads_a_table_with_rights_to_read_only(deployment, service, receiver, administration, reader):
    session = service.acquire(receiver.new_url())
    identifier = session["confirmationId"]
    apps, app, found, story, problem, metrics = converse(
        deployment,
        reader,
        ("list_apps", {}),
        ("show_app", {"app": APP}),
        ("find_confirmations", {"app": APP, "states": ["open"]}),
        ("show_confirmation", {"id": identifier}),
        ("show_problem", {"code": "not_found"}),
        ("show_metrics", {}),
    )
    results = [one["result"]["structuredContent"]["answer"] for one in (apps, app, found, story, problem)]
    assert APP in [item["app"] for item in results[0]["items"]]
    assert results[1]["app"] == APP
    assert identifier in [item["id"] for item in results[2]["items"]]
    assert results[3]["state"] == "open"
    assert results[4]["text"].startswith("### `not_found`")
    assert metrics["error"]["message"] == "there is no such tool"
    # The role cannot write, and CloudTrail records what it reads.
    assert "assistant_read" not in {record["action"] for record in administration.audit(APP)}
