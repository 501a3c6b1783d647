"""Administers the deployed table with the `countersign` command, as an operator does."""

import json
import os
import subprocess

import emulator


class Administration:
    """Creates and changes apps and API keys with `countersign --table NAME`."""

    def __init__(self, deployment, **credentials):
        """`credentials` are variables of an administrator other than the account's root user."""
        self._deployment = deployment
        self._credentials = credentials

    def create_app(self, name, number):
        """Creates an app whose users send their texts to `number`, and returns its first API key."""
        return self._run("app", "create", name, f"--sender={number}")["apiKey"]

    def apps(self):
        """Returns all apps."""
        return self._run("app", "list")

    def keys(self, name):
        """Returns an app's API keys."""
        return self._run("key", "list", name)

    def audit(self, name):
        """Returns what administrators did to an app, newest first."""
        return self._run("audit", f"--app={name}")

    def create_login_app(self, name, **settings):
        """Creates an app with these settings for logins, and returns its app key and its API key."""
        created = self._run("app", "create", name, "--sender=+12025550199")
        self.update(name, **settings)
        return created["appKey"], created["apiKey"]

    def update(self, name, **settings):
        """Runs `countersign app update`, with one flag per setting. A list repeats its flag."""
        flags = [
            f"--{flag.replace('_', '-')}={value}"
            for flag, held in settings.items()
            for value in (held if isinstance(held, list) else [held])
        ]
        self._run("app", "update", name, *flags)

    def webhook_secrets(self, name, *change):
        """Returns the secrets that sign an app's webhooks, the newest first."""
        return self._run("app", "webhook-secret", name, *change)["webhookSecrets"]

    def issue_key(self, name):
        """Issues another API key for an app, and returns the key and its id."""
        issued = self._run("key", "issue", name)
        return issued["apiKey"], issued["keyId"]

    def issue_test_key(self, name):
        """Issues a test key for an app, and returns it."""
        return self._run("key", "issue", name, "--test")["apiKey"]

    def issue_client_secret(self, name):
        """Issues a client secret for an app, and returns the secret and its id."""
        issued = self._run("openid", "issue-secret", name)
        return issued["clientSecret"], issued["secretId"]

    def revoke_client_secret(self, name, secret_id):
        """Revokes a client secret."""
        self._run("openid", "revoke-secret", name, secret_id)

    def revoke_key(self, name, key_id):
        """Revokes an API key."""
        self._run("key", "revoke", name, key_id)

    def add_association_key(self, name, user, public_key):
        """Registers an association key for a user of an app, and returns it."""
        return self._run("app", "keys", "add", name, user, public_key)

    def association_keys(self, name):
        """Returns the active association keys of an app."""
        return self._run("app", "keys", "list", name)["items"]

    def revoke_association_key(self, name, key_id):
        """Revokes an association key, and returns its id."""
        return self._run("app", "keys", "revoke", name, key_id)

    def revoke_user_keys(self, name, user):
        """Revokes all keys of a user of an app, and returns what that ended."""
        return self._run("app", "keys", "revoke-all", name, user, "--yes")

    def add_provider(self, name, secret, *flags):
        """Turns a provider on, with the secret on standard input, and returns what the command says."""
        return self._run("provider", "add", name, *flags, given=secret)

    def providers(self):
        """Returns the states of all providers, by name."""
        return {found["provider"]: found for found in self._run("provider", "list")}

    def show_provider(self, name):
        """Returns what `countersign provider show` prints."""
        return self._ended(0, "provider", "show", name)

    def try_provider(self, name, url):
        """Sends a signed text without a code, and returns what the command says."""
        return self._run("provider", "test", name, f"--url={url}")

    def repeat_redactions(self, redactions):
        """Erases the personal data of confirmations again, and returns what became of them."""
        lines = "".join(f"{one['app']} {one['confirmationId']}\n" for one in redactions)
        return self._run("redactions", "repeat", "-", given=lines)

    def refused(self, *arguments, given=None):
        """Returns what a command says that fails."""
        return self._ended(1, *arguments, given=given)

    def _run(self, *arguments, given=None):
        return json.loads(self._ended(0, *arguments, "--json", given=given))

    def _ended(self, status, *arguments, given=None):
        table = self._deployment.table
        done = subprocess.run(
            [os.environ["COUNTERSIGN_BIN"], f"--table={table}", *arguments],
            env=emulator.environment(
                AWS_ENDPOINT_URL=self._deployment.endpoint, **self._credentials
            ),
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, f"countersign {' '.join(arguments)}: {done.stderr}"
        return done.stderr if status else done.stdout
