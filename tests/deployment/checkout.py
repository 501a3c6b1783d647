"""A checkout as an operator has it: infra/ with an environment of theirs, deployed by `deploy.sh`."""

import os
import shutil
import subprocess
from pathlib import Path

import emulator
from deployment import ROOT, copy_example

STAND_INS = Path(__file__).with_name("stand_ins")


class Checkout:
    """`variables` are what the commands find in their environment."""

    def __init__(self, folder, **variables):
        self._folder = folder
        self._variables = variables
        shutil.copytree(ROOT / "infra", folder / "infra")
        self._environments = folder / "infra" / "environments"

    def add(self, name):
        """Makes an environment of the example, as its comments say."""
        copy_example(self._file(name))

    def set(self, name, **parameters):
        """Edits an environment's file: sets parameters, and takes out those that are `None`."""
        lines = self._file(name).read_text(encoding="utf-8").splitlines()
        for parameter, value in parameters.items():
            lines = [line for line in lines if not line.startswith(f'  "{parameter}=')]
            if value is not None:
                start = lines.index("parameter_overrides = [")
                lines.insert(start + 1, f'  "{parameter}={value}",')
        self._file(name).write_text("\n".join(lines), encoding="utf-8")

    def write(self, name, text):
        """Writes an environment's file whole."""
        self._file(name).write_text(text, encoding="utf-8")

    def deploy(self, *arguments):
        """Runs `deploy.sh`, and returns how it ended and what it said."""
        return self.run("infra/deploy.sh", *arguments)

    def run(self, script, *arguments):
        """Runs a script of the checkout, and returns how it ended and what it said."""
        tools = Path(os.environ["COUNTERSIGN_AWS_TOOLS"], "bin")
        commands = [STAND_INS, tools, *os.environ["PATH"].split(":")]
        done = subprocess.run(
            ["bash", script, *arguments],
            env=emulator.environment(
                PATH=":".join(map(str, commands)),
                COUNTERSIGN_AWS_TOOLS=str(tools.parent),
                CARGO_LAMBDA_COMPILER="cargo",
                **self._variables,
            ),
            cwd=self._folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def _file(self, name):
        return self._environments / f"{name}.toml"
