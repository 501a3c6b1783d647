"""An operator's work on the deployed table, done with the `countersign` command."""

import json
import os
import subprocess

import emulator


class Administration:
    """Apps and their API keys, as `countersign --table NAME` makes and changes them."""

    def __init__(self, deployment):
        self._deployment = deployment

    def create_app(self, name, number):
        """An app whose phones text to `number`; returns its first API key."""
        return self._run("app", "create", name, f"--sender={number}")["apiKey"]

    def create_login_app(self, name, **settings):
        """An app whose pages open logins, with `countersign app update`; returns its app key."""
        key = self._run("app", "create", name, "--sender=+12025550199")["appKey"]
        self.update(name, **settings)
        return key

    def update(self, name, **settings):
        """`countersign app update` with such flags; a list is a flag that repeats."""
        flags = [
            f"--{flag.replace('_', '-')}={value}"
            for flag, held in settings.items()
            for value in (held if isinstance(held, list) else [held])
        ]
        self._run("app", "update", name, *flags)

    def issue_key(self, name):
        """A further API key of an app: the key, and what it is called."""
        issued = self._run("key", "issue", name)
        return issued["apiKey"], issued["keyId"]

    def revoke_key(self, name, key_id):
        """Takes a key's rights away."""
        self._run("key", "revoke", name, key_id)

    def _run(self, *arguments):
        table = self._deployment.table
        done = subprocess.run(
            [os.environ["COUNTERSIGN_BIN"], f"--table={table}", *arguments, "--json"],
            env=emulator.environment(AWS_ENDPOINT_URL=self._deployment.endpoint),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"countersign {' '.join(arguments)}: {done.stderr}"
        return json.loads(done.stdout)
