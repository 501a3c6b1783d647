"""Tests that clients in TypeScript and Python can be generated from the description without a warning,
compile with the strictest settings, and can call the server."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DESCRIPTION = HERE.parents[1] / "docs/openapi.json"
# Installed by scripts/setup/typescript.sh from clients/package-lock.json.
NODE_MODULES = HERE / "clients/node_modules"
# Timeout of a command in seconds, far more than a slow machine needs.
HUNG = 300


def run(command, folder, **environment):
    """Runs a command, and returns its output. Fails unless the command succeeds."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=HUNG,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def called(facts, command, folder):
    """Runs a program that uses a generated client, and returns what it printed."""
    environment = {"COUNTERSIGN_FACTS": json.dumps(facts)}
    return json.loads(run(command, folder, **environment))


# The output of both programs: the server's responses to their calls.
EXPECTED = {
    "acquired": {"status": "open", "flow": "acquisition", "metadata": {"orderId": "17"}},
    "refused": {"status": 422, "code": "phone_number_not_international", "field": "/phoneNumber"},
    "cancelled": "cancelled",
    "login": "created",
}


def test_generated_typescript_client_calls_the_server(facts, tmp_path):
    """Uses openapi-typescript, openapi-fetch, and `tsc --strict`."""
    if shutil.which("node") is None or not NODE_MODULES.is_dir():
        pytest.skip("TypeScript client: no packages of tests/openapi/clients/package-lock.json")
    for name in ("call.ts", "tsconfig.json", "package.json"):
        shutil.copy(HERE / "clients" / name, tmp_path)
    (tmp_path / "node_modules").symlink_to(NODE_MODULES)
    tools = NODE_MODULES / ".bin"
    run([tools / "openapi-typescript", DESCRIPTION, "--output", "api.ts"], tmp_path)
    run([tools / "tsc"], tmp_path)
    assert called(facts, ["node", "call.js"], tmp_path) == EXPECTED


def test_generated_python_client_calls_the_server(facts, description, tmp_path):
    """Uses openapi-python-client and `mypy --strict`."""
    if importlib.util.find_spec("openapi_python_client") is None:
        pytest.skip("Python client: no openapi-python-client in this virtual environment")
    shutil.copy(HERE / "clients/call.py", tmp_path)
    generator = Path(sys.executable).parent / "openapi-python-client"
    generate = [
        *(generator, "generate", "--fail-on-warning", "--meta", "none"),
        *("--path", DESCRIPTION, "--output-path", "countersign_client"),
        *("--config", HERE / "clients/python.yaml"),
    ]
    run(generate, tmp_path)
    run([sys.executable, "-m", "mypy", "--strict", "call.py", "countersign_client"], tmp_path)
    assert called(facts, [sys.executable, "call.py"], tmp_path) == EXPECTED

    # Every object and every enum is a class.
    models = (tmp_path / "countersign_client/models/__init__.py").read_text(encoding="utf-8")
    named = {name for name, schema in description["components"]["schemas"].items() if "type" in schema}
    assert [name for name in sorted(named) if f'"{name}"' not in models] == []
