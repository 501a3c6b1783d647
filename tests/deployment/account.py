"""A new AWS account, and the environment that an operator deploys there."""

import base64
import hashlib
import json
import os
import re
import subprocess
from pathlib import Path

import emulator
import http_api
import stacks
from deployment import ROOT, STACK, Deployment

# The limit of concurrent executions in new accounts.
EXECUTIONS = 10
# The API's own host name, from the first deployment.
DOMAIN = "verify.example.com"
CERTIFICATE = "arn:aws:acm:us-east-1:000000000000:certificate/12345678-1234-1234-1234-123456789012"
OPERATIONS = Path(ROOT, "docs", "operations.md").read_text(encoding="utf-8")
# The definition of `output`, which the page's commands use.
OUTPUT = re.search(r"^output\(\) \{.*?^  .*?\}$", OPERATIONS, re.M | re.S)[0]


class Account:
    """The account, with the operator's rights."""

    def __init__(self, running, checkout, deployer):
        self.deployer = deployer
        self._emulator = running
        self._checkout = checkout
        self.client = running.client

    def deploy(self, **parameters):
        """Edits the environment's file, deploys it, and returns the output."""
        self._checkout.set("production", **parameters)
        ended, said = self._checkout.deploy()
        assert ended == 0, f"{said}\n{self.log()[-3000:]}"
        return said

    def refused(self, **parameters):
        """Edits the environment's file, and returns why it is not deployed."""
        self._checkout.set("production", **parameters)
        ended, said = self._checkout.deploy()
        assert ended == 1, said
        return said

    def ensure_deployed(self):
        """Deploys the environment, unless an earlier test has."""
        cloudformation = self.client("cloudformation")
        try:
            cloudformation.describe_stacks(StackName=STACK)
        except cloudformation.exceptions.ClientError:
            self.deploy()

    @property
    def outputs(self):
        """The stack's outputs."""
        return stacks.outputs(self.client, STACK)

    def output(self, key):
        """Returns one of the stack's outputs."""
        return self.outputs[key]

    @property
    def table(self):
        """The name of the table that the functions use."""
        return self.output("TableName")

    @property
    def endpoint(self):
        """The URL of every AWS service."""
        return self._emulator.url

    # Permissions and processes of the functions, and items of the table, as in the other account.
    without, with_rights, role = Deployment.without, Deployment.with_rights, Deployment.role
    restart, sweep = Deployment.restart, Deployment.sweep
    lookup, make_due, _change = Deployment.lookup, Deployment.make_due, Deployment._change

    def rights_of(self, user):
        """Returns the rights that a user has used."""
        # Reports arrive in order.
        self._emulator.invocations()
        return self._emulator.rights[user.key]

    def log(self):
        """Returns the log of the emulator and the functions."""
        return self._emulator.log.read_text(errors="replace")

    def run_page(self, section, folder):
        """Runs the commands of a section of docs/operations.md as an operator does, and returns what they print."""
        text = OPERATIONS.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
        commands = "\n".join(re.findall(r"^ *```sh\n(.*?)^ *```$", text, re.M | re.S))
        done = subprocess.run(
            ["bash", "-euc", f"{OUTPUT}\n{commands}".replace("NAME", STACK)],
            env=emulator.environment(
                PATH=f"{os.environ['COUNTERSIGN_AWS_TOOLS']}/bin:{os.environ['PATH']}",
                AWS_ENDPOINT_URL=self.endpoint,
            ),
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def version(self, function):
        """Returns the version of a function that callers reach."""
        alias = self.client("lambda").get_alias(FunctionName=f"{STACK}-{function}", Name="live")
        return alias["FunctionVersion"]

    def api(self):
        """Returns where the HTTP API is, as `Deployment.api` does."""
        port = self._emulator.port
        return "127.0.0.1", port, f"{self.output('ApiId')}.execute-api.localhost:{port}"

    def keys(self):
        """Returns the ids of the published keys, the signing key first."""
        answer = http_api.call(self, "GET", "/.well-known/jwks.json")
        assert answer.status == 200, answer.body
        return [key["kid"] for key in answer.json()["keys"]]

    def keys_made(self):
        """Returns the number of KMS keys in the account."""
        return len(self.client("kms").list_keys()["Keys"])

    def new_key(self):
        """Creates a key with the policy of the current one, as the runbook's first step does."""
        kms = self.client("kms")
        current = kms.get_key_policy(KeyId=self.output("SigningKeyArn"), PolicyName="default")
        made = kms.create_key(
            KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY", Policy=current["Policy"]
        )
        return made["KeyMetadata"]["Arn"]

    def name(self, key):
        """Returns a key's id in the key set: its thumbprint by RFC 7638."""
        der = self.client("kms").get_public_key(KeyId=key)["PublicKey"]
        x, y = (base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (der[-64:-32], der[-32:]))
        jwk = json.dumps({"crv": "P-256", "kty": "EC", "x": x, "y": y}, separators=(",", ":"))
        return base64.urlsafe_b64encode(hashlib.sha256(jwk.encode()).digest()).decode().rstrip("=")
