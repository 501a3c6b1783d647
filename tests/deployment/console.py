"""A person's console: `countersign console --table NAME`, and what its page sends."""

import contextlib
import http.client
import json
import os
import subprocess
from urllib.parse import urlsplit

import emulator
import waiting
from http_api import Answer


class Console:
    """A running console, with an open session."""

    def __init__(self, process, link):
        self._process = process
        parts = urlsplit(link)
        self._authority = parts.netloc
        self._session = {}
        opened = self._post("/session", {"code": parts.fragment.removeprefix("code=")})
        assert opened.status == 200, opened.body
        self._session = {
            "Cookie": opened.headers["set-cookie"].partition(";")[0],
            "Countersign-Console": opened.json()["secret"],
        }

    def ask(self, name, request=None):
        """Sends a request, and returns the answer of any status."""
        return self._post(f"/api/{name}", request or {})

    def show(self, name, request=None):
        """Sends a request that succeeds, and returns its JSON."""
        answer = self.ask(name, request)
        assert answer.status == 200, f"{name}: {answer.status} {answer.body}"
        return answer.json()

    def _post(self, path, body):
        connection = http.client.HTTPConnection(self._authority, timeout=waiting.BOUND)
        headers = {
            "Content-Type": "application/json",
            "Origin": f"http://{self._authority}",
            "Sec-Fetch-Site": "same-origin",
        }
        with contextlib.closing(connection):
            connection.request("POST", path, json.dumps(body), headers | self._session)
            answer = connection.getresponse()
            held = {key.lower(): value for key, value in answer.getheaders()}
            return Answer(answer.status, held, answer.read())


@contextlib.contextmanager
def console(deployment, *options, **credentials):
    """Runs a console of the deployed table. `credentials` are variables of a person other than the account's root
    user."""
    command = [os.environ["COUNTERSIGN_BIN"], f"--table={deployment.table}", "console", "--no-browser", *options]
    process = subprocess.Popen(
        command,
        env=emulator.environment(AWS_ENDPOINT_URL=deployment.endpoint, **credentials),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        link = next(line.strip() for line in process.stdout if "/#code=" in line)
        yield Console(process, link)
    finally:
        process.terminate()
        process.communicate(timeout=waiting.BOUND)
