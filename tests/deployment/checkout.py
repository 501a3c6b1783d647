"""An operator's checkout: a copy of infra/ with its own environments, deployed by `deploy.sh`."""

import os
import shutil
import subprocess
from pathlib import Path

import emulator
from deployment import ROOT, copy_example

STAND_INS = Path(__file__).with_name("stand_ins")


class Checkout:
    """A copy of infra/ in `folder`. Its scripts run with `variables` in their environment."""

    def __init__(self, folder, **variables):
        self._folder = folder
        self._variables = variables
        shutil.copytree(ROOT / "infra", folder / "infra")
        self._environments = folder / "infra" / "environments"

    def add(self, name):
        """Adds an environment, made from the example as the example's comments say."""
        copy_example(self._file(name))

    def set(self, name, **parameters):
        """Sets parameters in an environment's file, and removes the ones that are `None`."""
        lines = self.read(name).splitlines()
        for parameter, value in parameters.items():
            lines = [line for line in lines if not line.startswith(f'  "{parameter}=')]
            if value is not None:
                start = lines.index("parameter_overrides = [")
                lines.insert(start + 1, f'  "{parameter}={value}",')
        self.write(name, "\n".join(lines))

    def hand_over(self, name, bucket, role):
        """Lets an environment use its own bucket, and a role for CloudFormation, as docs/operations.md says."""
        text = self.read(name)
        found = "resolve_s3 = true"
        assert found in text
        ours = f's3_bucket = "{bucket}"\nrole_arn = "{role}"'
        self.write(name, text.replace(found, ours))

    def read(self, name):
        """Returns the text of an environment's file."""
        return self._file(name).read_text(encoding="utf-8")

    def write(self, name, text):
        """Replaces the text of an environment's file."""
        self._file(name).write_text(text, encoding="utf-8")

    def deploy(self, *arguments):
        """Runs `deploy.sh`, and returns its exit status and output."""
        return self.run("infra/deploy.sh", *arguments)

    def run(self, script, *arguments):
        """Runs a script of the checkout, and returns its exit status and output."""
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
