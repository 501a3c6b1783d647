"""Starts and stops the AWS emulator, and creates clients for it."""

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

import waiting

REGION = "us-east-1"
# Credentials of the account's root user, who deploys and operates the stack.
OPERATOR = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": REGION,
    "AWS_REGION": REGION,
}
# SAM's setting for the seconds between two checks of a deployment; the default is five.
SAM = {"SAM_CLI_POLL_DELAY": "0.5"}
# Prefixes of variables that are not passed on, so that no real AWS account is used.
NOT_PASSED_ON = ("AWS_", "SAM_", "COUNTERSIGN_", "LAMBDA_")


def environment(**more):
    """Returns this process's environment, with settings for the emulator instead of any for AWS."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(NOT_PASSED_ON)
    }
    return {**kept, **OPERATOR, **SAM, **more}


def client_of(endpoint, service, **options):
    """Returns a client for a service of an emulator, with the operator's rights unless the options have others."""
    operator = {
        "aws_access_key_id": OPERATOR["AWS_ACCESS_KEY_ID"],
        "aws_secret_access_key": OPERATOR["AWS_SECRET_ACCESS_KEY"],
    }
    return boto3.client(service, endpoint_url=endpoint, region_name=REGION, **(operator | options))


class Emulator:
    """The emulator, in a separate process. It enforces the policies of every role."""

    def __init__(self, functions_call, **variables):
        """Starts the emulator. Functions call their services at the URL `functions_call`. `variables`
        are settings of the emulator."""
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
                # The pause between attempts at an asynchronous invocation. On AWS it is one minute, then two.
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
        # Function names by the access key with which each signs, the credentials of each function that has
        # run, and invocations by function name.
        self.signers = {}
        self._credentials = {}
        self._invocations = Counter()
        # The permissions that were used, by the users' access keys.
        self.rights = {}
        self._replies = queue.Queue()
        self._clients = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self._process.stdout:
            match line.split():
                case ["signer", key, secret, token, name]:
                    self.signers[key] = name
                    self._credentials[name] = {
                        "aws_access_key_id": key,
                        "aws_secret_access_key": secret,
                        "aws_session_token": token,
                    }
                case ["right", key, action]:
                    self.rights.setdefault(key, set()).add(action)
                case ["invocation", name]:
                    self._invocations[name] += 1
                case ["restarted" | "running", word]:
                    self._replies.put(word)

    def _ask(self, line):
        """Sends a line to the emulator, and returns its reply."""
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._replies.get(timeout=waiting.BOUND)

    def restart(self, function):
        """Ends a function's processes, so that its next event starts a new one."""
        assert self._ask(function) == function

    def any_running(self):
        """Returns whether an invocation is in progress."""
        return self._ask("?") == "yes"

    def invocations(self):
        """Returns the number of invocations by function name, with all that were answered so far."""
        # Reports arrive in order, so once this one is read, the reports of earlier invocations have been
        # read.
        self.restart("-")
        return dict(self._invocations)

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._home.cleanup()

    def client(self, service, path="", function=None):
        """Returns a client for a service with the operator's rights, or with the rights of a function that has
        run. It does not go through the proxy. `path` is for a service that the emulator cannot tell from
        the request itself."""
        operator = {
            "aws_access_key_id": OPERATOR["AWS_ACCESS_KEY_ID"],
            "aws_secret_access_key": OPERATOR["AWS_SECRET_ACCESS_KEY"],
        }
        credentials = self._credentials[function] if function else operator
        # A new process of a function has new credentials.
        key = service, path, credentials["aws_access_key_id"]
        if key not in self._clients:
            client = boto3.client(
                service,
                endpoint_url=self.url + path,
                region_name=REGION,
                **credentials,
                config=Config(
                    retries={"total_max_attempts": 1},
                    connect_timeout=waiting.BOUND,
                    read_timeout=waiting.BOUND,
                ),
            )
            self._clients[key] = client
        return self._clients[key]
