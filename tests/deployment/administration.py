"""An operator's work on the deployed table: apps and their API keys."""

import hashlib
import secrets
import string
import time
import zlib

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase


class Administration:
    """Writes items as the store lays them out."""

    def __init__(self, deployment):
        self._table = deployment.table
        self._dynamodb = deployment.client("dynamodb")

    def create_app(self, name, number):
        """An app without keys, whose phones text to `number`."""
        self._dynamodb.update_item(
            TableName=self._table,
            Key={"pk": {"S": "PROFILE"}, "sk": {"S": "PROFILE"}},
            UpdateExpression="SET v = :one ADD x :prefixes, n :numbers, r :one",
            ExpressionAttributeValues={
                ":prefixes": {"SS": ["CS"]},
                ":numbers": {"SS": [number]},
                ":one": {"N": "1"},
            },
        )
        self._dynamodb.put_item(
            TableName=self._table,
            Item={
                "pk": {"S": "APPS"},
                "sk": {"S": f"APP#{name}"},
                "v": {"N": "1"},
                "r": {"N": "1"},
                "k": {"S": "cs_app_" + "".join(secrets.choice(ALPHABET) for _ in range(22))},
                "c": {"N": now()},
                "o": {"L": []},
                "m": {"S": "{code}"},
                "x": {"S": "CS"},
                "n": {"L": [{"M": {"n": {"S": number}}}]},
                "keys": {"M": {}},
                "ka": {"N": "0"},
            },
        )

    def issue_key(self, name):
        """A new API key of an app."""
        digits = base62(secrets.token_bytes(32), 43)
        key = f"cs_live_{digits}{base62(zlib.crc32(digits.encode()).to_bytes(4), 6)}"
        digest = hashlib.sha256(key.encode()).digest()
        self._dynamodb.put_item(
            TableName=self._table,
            Item={
                "pk": {"S": f"KEY#{digest.hex()}"},
                "sk": {"S": "KEY"},
                "v": {"N": "1"},
                "r": {"N": "1"},
                "a": {"S": name},
            },
        )
        self._change(
            name,
            key,
            "SET #keys.#id = :key ADD ka :count, r :one",
            {":key": {"M": {"h": {"B": digest}, "i": {"N": now()}}}, ":count": {"N": "1"}},
        )
        return key

    def revoke_key(self, name, key):
        """Takes a key's rights away."""
        self._change(
            name,
            key,
            "SET #keys.#id.x = :now ADD ka :count, r :one",
            {":now": {"N": now()}, ":count": {"N": "-1"}},
        )

    def _change(self, name, key, expression, values):
        digest = hashlib.sha256(key.encode()).hexdigest()
        self._dynamodb.update_item(
            TableName=self._table,
            Key={"pk": {"S": "APPS"}, "sk": {"S": f"APP#{name}"}},
            UpdateExpression=expression,
            ExpressionAttributeNames={"#keys": "keys", "#id": f"key_{digest[:16]}"},
            ExpressionAttributeValues=values | {":one": {"N": "1"}},
        )


def now():
    return str(int(time.time() * 1000))


def base62(data, width):
    """Base 62 of fixed width, as API keys are written."""
    number, digits = int.from_bytes(data), []
    for _ in range(width):
        number, digit = divmod(number, 62)
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))
