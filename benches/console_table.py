"""Measures the operator's console over a table with many confirmations, on DynamoDB Local: Amazon's own program, but in
memory and on this machine, so its figures show what the console asks for, and not how fast AWS answers.

    make test ONLY=deployment     # once: fetches DynamoDB Local and the packages
    COUNTERSIGN_BIN=target/debug/countersign .tools/aws-tools/bin/python benches/console_table.py 100000
"""

import itertools
import os
import secrets
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import boto3
from boto3.dynamodb.types import TypeSerializer

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "deployment"))
from console import console  # noqa: E402

JARS = ROOT / ".tools" / "dynamodb-local"
MAIN = "software.amazon.dynamodb.services.local.main.ServerRunner"
TABLE = "countersign"
REPETITIONS = 5
MINUTE = 60_000
# One confirmation every 600 milliseconds.
INTERVAL = 600
VERSION = 5


def item(key, kind, document, **more):
    """Returns a document as the store writes it."""
    return {"pk": key, "sk": kind, "v": VERSION, "r": 1, **document, **more}


def app(now):
    """Returns an app as `countersign app create` writes it."""
    settings = {
        "id": "shop",
        "app_key": "cs_app_3aKNjmdIf78jcWqkLEE6Ip",
        "created_at": now,
        "callback_origins": [],
        "template": "{code}",
        "prefix": "CS",
        "senders": [{"number": "+12025550199"}],
        "webhook_secrets": {"newest": 0, "former": False},
        "login": {
            "origins": [],
            "logins_from": "pages",
            "android": [],
            "ios": [],
            "risk": {"denials_forbid": False},
            "payload_encryption": "required",
            "require_proof": False,
            "check_code": False,
        },
        "quotas": {"confirmations": {}, "logins": {}, "association_keys": {}, "lists": {}},
    }
    return item("APP#shop", "APP", {"app": settings, "keys": []}, app_list="APPS")


def confirmations(count, now):
    """Yields open confirmations of one app, the newest last."""
    for number in range(count):
        at, name = now - (count - number) * INTERVAL, secrets.token_hex(16)
        document = {
            "id": f"cfm_{name}",
            "app": "shop",
            "flow": {"confirmation": {"expected": f"+1202555{number % 10_000:04}"}},
            "callback": "https://shop.example/hook",
            "metadata": "{}",
            "to": "+12025550199",
            "created": at,
            "expires": at + 5 * MINUTE,
            "state": {"open": {}},
            "purge_at": now + 24 * 60 * MINUTE,
        }
        yield item(f"CFM#{name}", "CFM", document, started_by="shop", started_at=at)


def create(dynamodb):
    """Creates the table with the keys and the indexes that its lists need."""
    kinds = {"pk": "S", "sk": "S", "app_list": "S", "started_by": "S", "started_at": "N"}

    def keys(first, second):
        return [{"AttributeName": first, "KeyType": "HASH"}, {"AttributeName": second, "KeyType": "RANGE"}]

    dynamodb.create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind} for name, kind in kinds.items()],
        KeySchema=keys("pk", "sk"),
        GlobalSecondaryIndexes=[
            {"IndexName": name, "KeySchema": keys(*pair), "Projection": {"ProjectionType": "KEYS_ONLY"}}
            for name, pair in (("apps", ("app_list", "pk")), ("started", ("started_by", "started_at")))
        ],
    )


def fill(dynamodb, count):
    """Writes the app and the confirmations, and returns the id of the newest one."""
    now, write, newest = int(time.time() * 1000), TypeSerializer().serialize, None
    items = itertools.chain([app(now)], confirmations(count, now))
    while batch := list(itertools.islice(items, 25)):
        puts = [{"PutRequest": {"Item": write(one)["M"]}} for one in batch]
        assert not dynamodb.batch_write_item(RequestItems={TABLE: puts})["UnprocessedItems"]
        newest = batch[-1]["id"]
    return newest


def measure(page, count, newest):
    """Prints the times of the requests of the screens."""
    first = page.show("find_confirmations")
    for what, name, request in (
        ("the apps", "list_apps", {}),
        ("first page", "find_confirmations", {}),
        ("second page", "find_confirmations", {"after": first["next"]}),
        ("open ones of one app", "find_confirmations", {"app": "shop", "states": ["expired", "open"]}),
        ("digits", "find_confirmations", {"digits": f"{(count - 1) % 10_000:04}"}),
        ("failed, none match", "find_confirmations", {"failed": True}),
        ("one confirmation", "show_confirmation", {"id": newest}),
    ):
        times = []
        for _ in range(REPETITIONS):
            began = time.perf_counter()
            page.show(name, request)
            times.append(1000 * (time.perf_counter() - began))
        print(f"  {what}: p50 {statistics.median(times):.0f} ms, longest {max(times):.0f} ms")


def main(count):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = ["java", "-Djava.library.path=.", "-Dsqlite4java.library.path=.", "-cp", "*", MAIN]
    local = subprocess.Popen(
        [*command, "-inMemory", "-sharedDb", "-disableTelemetry", "-port", str(port)],
        cwd=JARS,
        stdout=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        dynamodb = boto3.client(
            "dynamodb",
            endpoint_url=url,
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
            # The program takes some seconds to start.
            config=boto3.session.Config(retries={"total_max_attempts": 20, "mode": "standard"}),
        )
        create(dynamodb)
        newest = fill(dynamodb, count)
        began = time.perf_counter()
        with console(SimpleNamespace(table=TABLE, endpoint=url), "--read-only") as page:
            page.show("find_confirmations")
            print(f"the console over a table of {count} confirmations, on DynamoDB Local:")
            print(f"  from the command to the first list: {1000 * (time.perf_counter() - began):.0f} ms")
            measure(page, count, newest)
    finally:
        local.terminate()
        local.wait()


if __name__ == "__main__":
    os.environ.setdefault("COUNTERSIGN_BIN", str(ROOT / "target" / "debug" / "countersign"))
    main(int(sys.argv[1]))
