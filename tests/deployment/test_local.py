"""Tests of AWS on this machine as developers use it: `make emulator`, `make deploy-local`, and what that prints."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import emulator
import stacks
from administration import Administration
from deployment import STACK
from service import PHONE, SENDER, Service

LOCAL = Path(__file__).with_name("local.py")


class Local:
    """The commands, and a deployment by them. Nothing stands between it and the emulator."""

    def __init__(self, port):
        self.port = port
        self.endpoint = f"http://127.0.0.1:{port}"
        self.environment = os.environ | {"COUNTERSIGN_EMULATOR_PORT": str(port)}

    def start(self):
        return subprocess.Popen(
            [sys.executable, str(LOCAL), "emulator"],
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments):
        """Runs a command to its end, and returns its output."""
        done = subprocess.run(
            [sys.executable, str(LOCAL), *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def read(self, client):
        """Reads what the deployment has."""
        self.outputs = stacks.outputs(client, STACK)
        self.table = self.outputs["TableName"]

    def api(self):
        return "127.0.0.1", self.port, f"{self.outputs['ApiId']}.execute-api.localhost:{self.port}"

    def log(self):
        return "the emulator's log is on its terminal"


@pytest.fixture(scope="module")
def local():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    local = Local(port)
    with local.start() as running:
        try:
            assert local.endpoint in running.stdout.readline()
            local.printed = local.run("deploy")
            local.read(lambda service: emulator.client_of(local.endpoint, service))
            yield local
        finally:
            running.send_signal(signal.SIGINT)


def test_number_is_verified_and_its_webhook_comes(local, receiver):
    assert local.outputs["ApiId"] in local.printed
    service = Service(local, Administration(local).create_app("shop", SENDER))
    url = receiver.new_url()
    session = service.acquire(url)
    local.run("text", PHONE, session["sendTo"], session["confirmationMessage"])
    webhook, = receiver.wait_for(url)
    assert service.verify(webhook)["phoneNumber"] == PHONE
    assert service.until_delivered(session)["status"] == "verified"


def test_deploying_again_keeps_what_is_there(local, receiver):
    service = Service(local, Administration(local).issue_key("shop")[0])
    session = service.acquire(receiver.new_url())
    local.run("deploy")
    assert service.state(session)["status"] == "open"
