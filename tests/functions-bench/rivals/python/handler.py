"""`acquire` with boto3: connected while it starts, with one client for all calls."""

import base64
import hashlib
import json
import math
import os
import secrets
import time

import boto3
from botocore.config import Config

TABLE = os.environ["COUNTERSIGN_TABLE"]
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
FRESH = 60
# The SDK looks for what a function never has, and validates what is right, unless it is set not to.
CONFIG = Config(tcp_keepalive=True, parameter_validation=False, retries={"total_max_attempts": 4})
table = boto3.client("dynamodb", config=CONFIG)
apps = {}


def get(pk, sk):
    key = {"pk": {"S": pk}, "sk": {"S": sk}}
    return table.get_item(TableName=TABLE, Key=key, ConsistentRead=True).get("Item")


# Connects.
get("PROFILE", "PROFILE")


def app_of(key):
    digest = hashlib.sha256(key.encode()).hexdigest()
    known = apps.get(digest)
    if known and time.monotonic() - known[1] < FRESH:
        return known[0]
    pointer = get(f"KEY#{digest}", "KEY")
    found = pointer and get(f"APP#{pointer['app']['S']}", "APP")
    stored = base64.urlsafe_b64encode(bytes.fromhex(digest)).decode().rstrip("=")
    records = [record["M"] for record in found["keys"]["L"]] if found else []
    if not any(record["hash"]["S"] == stored and "revoked_at" not in record for record in records):
        return None
    app = found["app"]["M"]
    apps[digest] = (app, time.monotonic())
    return app


def spell(bits):
    value = int.from_bytes(bits)
    return "".join(ALPHABET[value >> shift & 31] for shift in range(75, -1, -5))


def handler(event):
    app = app_of(event["headers"].get("x-api-key", ""))
    if not app:
        return {"statusCode": 401, "body": "{}"}
    body = json.loads(event.get("body") or "{}")
    bits = secrets.token_bytes(10)
    digest = hashlib.sha256(b"countersign/confirmation-id/1\0" + bits).hexdigest()[:32]
    now = int(time.time() * 1000)
    send_to = app["senders"]["L"][0]["M"]["number"]["S"]
    message = app["template"]["S"].replace("{code}", f"{app['prefix']['S']}-{spell(bits)}")
    table.put_item(
        TableName=TABLE,
        Item={
            "pk": {"S": f"CFM#{digest}"},
            "sk": {"S": "CFM"},
            "v": {"N": "2"},
            "r": {"N": "1"},
            "a": {"S": app["id"]["S"]},
            "f": {"S": "a"},
            "s": {"S": "o"},
            "to": {"S": send_to},
            "u": {"S": body.get("callbackUrl") or app["default_callback"]["S"]},
            "m": {"S": json.dumps(body.get("metadata") or {})},
            "c": {"N": str(now)},
            "x": {"N": str(now + 300_000)},
            "p": {"N": str(now + 605_100_000)},
            "ttl": {"N": str(math.ceil(now / 1000) + 605_100)},
        },
        ConditionExpression="attribute_not_exists(pk)",
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )
    print(json.dumps({"level": "INFO", "message": "answered", "id": f"cfm_{digest}"}), flush=True)
    answer = {
        "confirmationId": f"cfm_{digest}",
        "confirmationMessage": message,
        "sendTo": send_to,
        "expiresAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now / 1000 + 300)),
    }
    headers = {"content-type": "application/json"}
    return {"statusCode": 200, "headers": headers, "body": json.dumps(answer)}
