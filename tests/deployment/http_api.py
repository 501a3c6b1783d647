"""Requests to the deployed HTTP API."""

import http.client
import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """An HTTP answer; `headers` by lower-case name."""

    status: int
    headers: dict
    body: bytes

    def json(self):
        return json.loads(self.body)


def call(deployment, method, path, body=None, headers=None):
    """One request over a connection of its own; `body` is bytes, or written as JSON. `Host` is the
    API's own where the headers name no other."""
    host, port, name = deployment.api()
    sent = {"Host": name, **(headers or {})}
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        sent["Content-Type"] = "application/json"
    connection = http.client.HTTPConnection(host, port, timeout=60)
    try:
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        held = {key.lower(): value for key, value in answer.getheaders()}
        return Answer(answer.status, held, answer.read())
    finally:
        connection.close()
