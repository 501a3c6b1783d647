"""Runs the emulator with a table like the deployment's, until standard input ends.

Prints one line of JSON: the emulator's URL, the table's name and the operator's environment.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "deployment"))

import emulator

TABLE = "countersign-console"


def index(name, first, second):
    """Returns a secondary index with the keys of its items."""
    keys = [{"AttributeName": first, "KeyType": "HASH"}, {"AttributeName": second, "KeyType": "RANGE"}]
    return {"IndexName": name, "KeySchema": keys, "Projection": {"ProjectionType": "KEYS_ONLY"}}


def create(client):
    """Creates the table as the template does, which says what it holds."""
    types = {"pk": "S", "sk": "S", "due_shard": "N", "due_at": "N", "app_list": "S", "started_by": "S", "started_at": "N"}
    client.create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        GlobalSecondaryIndexes=[
            index("due", "due_shard", "due_at"),
            index("apps", "app_list", "pk"),
            index("started", "started_by", "started_at"),
        ],
        Tags=[{"Key": "countersign:sender", "Value": "+12025550199"}],
    )


def main():
    running = emulator.Emulator(functions_call="http://127.0.0.1:1")
    try:
        create(running.client("dynamodb"))
        environment = {**emulator.OPERATOR, "AWS_ENDPOINT_URL": running.url}
        print(json.dumps({"table": TABLE, "environment": environment}), flush=True)
        sys.stdin.read()
    finally:
        running.close()


main()
