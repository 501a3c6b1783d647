"""Starts and ends the emulator of AWS, and gives clients of it to the tests."""

import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path

import boto3
from botocore.config import Config

REGION = "us-east-1"
# The account's root, as the emulator knows it: who deploys, and who operates.
OPERATOR = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": REGION,
    "AWS_REGION": REGION,
}
# Nothing of the person's own account may leak into what runs here.
NOT_PASSED_ON = ("AWS_", "SAM_", "COUNTERSIGN_", "LAMBDA_")


def environment(**more):
    """Ours without anything of AWS, and the operator of the emulator's account instead."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(NOT_PASSED_ON)
    }
    return {**kept, **OPERATOR, **more}


class Emulator:
    """The emulator in a process of its own; it enforces every role's policies."""

    def __init__(self, functions_call, **variables):
        """`functions_call` is the URL that functions find their services at; `variables` are the
        emulator's own settings."""
        self._home = tempfile.TemporaryDirectory(prefix="countersign-emulator-")
        home = Path(self._home.name)
        self.log = home / "log"
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("ministack_server.py"))],
            env=environment(
                AUTH="true",
                AWS_ENDPOINT_URL=functions_call,
                IOT_MTLS_ENABLED="0",
                SFTP_ENABLED="0",
                S3_DATA_DIR=str(home / "s3"),
                TMPDIR=str(home),
                LAMBDA_WARM_TTL_SECONDS="3600",
                # Between attempts at an asynchronous invocation; on AWS it is a minute, then two.
                LAMBDA_ASYNC_RETRY_BASE_SECONDS="0.2",
                **variables,
            ),
            cwd=home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log.open("wb"),
            text=True,
        )
        line = self._process.stdout.readline()
        assert line.strip().isdigit(), f"the emulator did not start:\n{self.log.read_text()}"
        self.port = int(line)
        self.url = f"http://127.0.0.1:{self.port}"
        # Names of functions by the access key that each signs with, and how often each has run.
        self.signers = {}
        self.invocations = Counter()
        self._restarted = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self._process.stdout:
            match line.split():
                case ["signer", key, name]:
                    self.signers[key] = name
                case ["invocation", name]:
                    self.invocations[name] += 1
                case ["restarted", name]:
                    self._restarted.put(name)

    def restart(self, function):
        """Ends a function's processes: its next event finds it started anew."""
        self._process.stdin.write(f"{function}\n")
        self._process.stdin.flush()
        assert self._restarted.get(timeout=60) == function

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._home.cleanup()

    def client(self, service, path=""):
        """A client of a service with the operator's rights, past the proxy; `path` is where it is
        found if not by what it is asked."""
        client = boto3.client(
            service,
            endpoint_url=self.url + path,
            region_name=REGION,
            aws_access_key_id=OPERATOR["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=OPERATOR["AWS_SECRET_ACCESS_KEY"],
            config=Config(retries={"total_max_attempts": 1}, connect_timeout=5, read_timeout=60),
        )
        client.meta.events.register("before-send", over_tls)
        return client


def over_tls(request, **_):
    """On AWS every call is over TLS, and policies insist on it."""
    request.headers["X-Forwarded-Proto"] = "https"
