"""Fixtures of the OpenAPI tests, which use a new server in local mode. `make test` runs them.
CONTRIBUTING.md lists what they need."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from service import NOWHERE

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def description():
    """The committed description of the API."""
    return json.loads((ROOT / "docs/openapi.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def facts():
    """The contents of `demo.json` of a running server, and a test key of the demo app."""
    command = os.environ["COUNTERSIGN_BIN"]
    # A short name, because the path length of the admin socket is limited.
    with tempfile.TemporaryDirectory(prefix="cs") as folder:
        data, log = Path(folder) / "data", Path(folder) / "log"
        serve = [command, "serve", "--listen", "127.0.0.1:0", "--no-rate-limits", "--data", data]
        with log.open("wb") as errors, subprocess.Popen(
            serve, stdout=subprocess.PIPE, stderr=errors
        ) as server:
            try:
                assert server.stdout.readline(), log.read_text(encoding="utf-8")
                # With these settings, requests may leave out `callbackUrl` and `browserPublicKey`.
                update = ["app", "update", "demo", "--callback-url", f"{NOWHERE}/"]
                update += ["--payload-encryption", "optional", "--web-phone", "on", "--data", data]
                subprocess.run([command, *update], check=True, stdout=subprocess.DEVNULL)
                issue = [command, "key", "issue", "demo", "--test", "--json", "--data", data]
                issued = json.loads(subprocess.check_output(issue))
                demo = json.loads((data / "demo.json").read_text(encoding="utf-8"))
                yield demo | {"testApiKey": issued["apiKey"]}
                assert server.poll() is None, "the server ended"
            finally:
                server.kill()
