"""Requests to the deployed HTTP API."""

import http.client
import json
from dataclasses import dataclass

import waiting


@dataclass(frozen=True)
class Answer:
    """An HTTP response. The names in `headers` are in lower case."""

    status: int
    headers: dict
    body: bytes

    def json(self):
        return json.loads(self.body)


def lasting(answer):
    """Returns the JSON of an answer without what the time of the answer decides."""
    return {name: value for name, value in answer.json().items() if name not in ("expiresIn", "serverTime")}


def call(deployment, method, path, body=None, headers=None):
    """Sends one request over a new connection. A `body` other than bytes is sent as JSON. `Host`
    is the API's own unless the headers set it."""
    host, port, name = deployment.api()
    sent = {"Host": name, **(headers or {})}
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        sent["Content-Type"] = "application/json"
    connection = http.client.HTTPConnection(host, port, timeout=waiting.BOUND)
    try:
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        held = {key.lower(): value for key, value in answer.getheaders()}
        return Answer(answer.status, held, answer.read())
    finally:
        connection.close()
