"""Tests the server against the description with all checks of schemathesis."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SEED = os.environ.get("COUNTERSIGN_SEED", "20260103")

# Phases of schemathesis, with the number of examples per operation or scenario, unless the description
# determines it. A number rather than a duration, so that a slow machine tests the same.
PHASES = {"examples,coverage": None, "fuzzing": 25, "stateful": 60}

# Timeout in seconds, many times the usual duration.
HUNG = 1800


@pytest.mark.parametrize("phases", PHASES)
def test_server_is_as_described(phases, facts, description, capsys, tmp_path):
    """Schemathesis finds no difference."""
    command = [
        Path(os.environ["COUNTERSIGN_SCHEMATHESIS"]) / "bin/st",
        f"--config-file={HERE / 'schemathesis.toml'}",
        "run",
        # The host of the demo app's links.
        facts["url"].replace("127.0.0.1", "localhost") + "/openapi.json",
        f"--phases={phases}",
        f"--seed={SEED}",
    ]
    if PHASES[phases]:
        command.append(f"--max-examples={PHASES[phases]}")
    environment = os.environ | {"COUNTERSIGN_FACTS": json.dumps(facts), "PYTHONPATH": str(HERE)}
    run = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=HUNG
    )
    assert run.returncode == 0, run.stdout + run.stderr
    generated = re.search(r"\d+ generated, .*", run.stdout)
    with capsys.disabled():
        print(f"\n{phases}, seed {SEED}: {generated and generated[0]}")
    if phases != "stateful":
        operations = sum(len(operations) for operations in description["paths"].values())
        assert f"Tested: {operations}" in run.stdout, run.stdout
