"""Deploys the template and the functions, with the commands that an operator uses."""

import contextlib
import json
import os
import platform
import re
import secrets
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import emulator
import stacks
import waiting

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))
import release_template  # noqa: E402

BUILT = ROOT / ".tools" / "aws-build"
QUICK_SAM = Path(__file__).with_name("quick_sam.py")
STACK = "countersign"
ARTIFACTS = "countersign-artifacts"
FUNCTIONS = (
    "acquire",
    "confirm",
    "confirmations",
    "inbound-sms",
    "inbound-sns",
    "dispatcher",
    "sweeper",
    "origin-check",
    "well-known",
    "qr-session",
    "browser-socket",
    "association-keys",
    "openid",
)
# The condition key with the partition of a DynamoDB request.
LEADING_KEYS = "dynamodb:LeadingKeys"
# The emulator runs the functions as processes of this machine, so they are built for it.
ARCHITECTURE = {"x86_64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}[platform.machine()]
# The provider of carrier lookups. It determines whether the stack has their alarms.
CARRIER_LOOKUP = "AWS"
# A function in a release's template: its resource, the lines after it, and the name of its archive.
FUNCTION = re.compile(r"(?<=^  )(\w+Function):\n((?:    .*\n)+?)      CodeUri: ([a-z-]+)\.zip\n", re.MULTILINE)
# The template names its roles, and the nested stack has loops.
CAPABILITIES = ("CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND")
# Building for this machine needs no other linker.
SAM_BUILD = {"CARGO_LAMBDA_COMPILER": "cargo", "SAM_CLI_TELEMETRY": "0"}


# Replacements in the example environment: the emulator's region and architecture, no CodeDeploy, and no
# prompts.
CHANGES = {
    'region = "eu-central-1"': f'region = "{emulator.REGION}"',
    "Architecture=arm64": f"Architecture={ARCHITECTURE}",
    "Rollout=Canary10Percent5Minutes": "Rollout=AllAtOnce",
    "confirm_changeset = true": "confirm_changeset = false",
}


def copy_example(path):
    """Writes an environment made from the example in infra/environments, with the replacements above."""
    text = Path(ROOT, "infra", "environments", "example.toml").read_text(encoding="utf-8")
    for old, new in CHANGES.items():
        assert old in text, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def build():
    """Fills `.tools/aws-build` as `sam build` does: a folder for each function, and the templates beside them.

    `make test` has compiled the functions, and the template is a release's. With
    COUNTERSIGN_SAM_BUILD=1 both come from `sam build`, as in docs/operations.md, which takes minutes.
    """
    shutil.rmtree(BUILT, ignore_errors=True)
    if os.environ.get("COUNTERSIGN_SAM_BUILD"):
        sam_build()
        return

    def place(function):
        folder, between, program = function.groups()
        Path(BUILT, folder).mkdir()
        # Keeps the file's mode, without which Lambda cannot start it.
        program = shutil.copy(Path(os.environ["COUNTERSIGN_BIN"]).with_name(program), BUILT / folder / "bootstrap")
        # Takes half the time to compress and upload. Without the tool, it is only slower.
        if shutil.which("strip"):
            subprocess.run(["strip", program], check=True)
        return f"{folder}:\n{between}      CodeUri: {folder}\n"

    BUILT.mkdir(parents=True)
    release_template.write(BUILT, ARCHITECTURE)
    template = BUILT / "template.yaml"
    text, count = FUNCTION.subn(place, template.read_text(encoding="utf-8"))
    assert count == len(FUNCTIONS), count
    template.write_text(text, encoding="utf-8")


def sam_build():
    """Compiles each function with `sam build`."""
    environment = BUILT.with_name("aws-build.toml")
    copy_example(environment)
    run(
        "build",
        f"--template-file={ROOT / 'infra' / 'template.yaml'}",
        f"--config-file={environment}",
        f"--build-dir={BUILT}",
        **SAM_BUILD,
    )


def run(*arguments, **variables):
    """Runs SAM with the operator's rights, and without the settings of the person who runs the tests."""
    tools = Path(os.environ["COUNTERSIGN_AWS_TOOLS"], "bin")
    done = subprocess.run(
        [str(tools / "python"), str(QUICK_SAM), *arguments, f"--region={emulator.REGION}"],
        env=emulator.environment(PATH=f"{tools}:{os.environ['PATH']}", **variables),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"sam {arguments[0]} failed:\n{done.stdout[-6000:]}"


def deploy(running, built, **parameters):
    """Deploys what was built with SAM to a running emulator."""
    parameters = {"Architecture": ARCHITECTURE, **parameters}
    run(
        "deploy",
        f"--template-file={built / 'template.yaml'}",
        f"--stack-name={STACK}",
        f"--s3-bucket={ARTIFACTS}",
        "--capabilities",
        *CAPABILITIES,
        "--language-extensions",
        "--no-confirm-changeset",
        "--no-fail-on-empty-changeset",
        "--no-progressbar",
        "--parameter-overrides",
        *(f"{name}={value}" for name, value in parameters.items()),
        AWS_ENDPOINT_URL=running.url,
        SAM_CLI_TELEMETRY="0",
    )


class Deployment:
    """The deployed stack, accessed with the operator's rights."""

    def __init__(self, running, built):
        self._emulator = running
        self._built = built
        self._clients = {}
        self.client("s3").create_bucket(Bucket=ARTIFACTS)
        # CloudFront would send this secret to prove that a request comes from it.
        self.origin_secret = secrets.token_hex(32)
        self._deploy()
        self.outputs = stacks.outputs(self.client, STACK)
        self.table = self.outputs["TableName"]
        # The role may look up carriers, but nothing does until a test requests it.
        self.set_variables("dispatcher", COUNTERSIGN_CARRIER_LOOKUP="")

    def _deploy(self):
        origin = self.client("secretsmanager").create_secret(
            Name=f"{STACK}-origin", SecretString=self.origin_secret
        )
        deploy(
            self._emulator,
            self._built,
            OriginSecretArn=origin["ARN"],
            CarrierLookup=CARRIER_LOOKUP,
            OpenId="On",
        )

    def client(self, service):
        if service not in self._clients:
            self._clients[service] = self._emulator.client(service)
        return self._clients[service]

    @property
    def endpoint(self):
        """The URL of every AWS service."""
        return self._emulator.url

    def api(self):
        """Returns where the HTTP API is: host and port to connect to, and the value of `Host`."""
        host = f"{self.outputs['ApiId']}.execute-api.localhost:{self._emulator.port}"
        return "127.0.0.1", self._emulator.port, host

    def socket(self):
        """Returns where the WebSocket API is: the same three, and the path of its stage."""
        host = f"{self.outputs['SocketApiId']}.execute-api.localhost:{self._emulator.port}"
        path = "/" + self.outputs["SocketUrl"].rpartition("/")[2]
        return "127.0.0.1", self._emulator.port, host, path

    def is_connected(self, connection):
        """Returns whether a connection to the socket is still open."""
        place = f"/_aws/execute-api/{self.outputs['SocketApiId']}{self.socket()[-1]}"
        client = self._emulator.client("apigatewaymanagementapi", place)
        try:
            client.get_connection(ConnectionId=connection)
        except client.exceptions.GoneException:
            return False
        return True

    def serve_host(self, host):
        """Adds a host name to the HTTP API, as an operator does for an app's link host."""
        api = self.client("apigatewayv2")
        certificate = f"arn:aws:acm:{emulator.REGION}:000000000000:certificate/{host}"
        api.create_domain_name(
            DomainName=host,
            DomainNameConfigurations=[
                {"CertificateArn": certificate, "EndpointType": "REGIONAL"},
            ],
        )
        api.create_api_mapping(DomainName=host, ApiId=self.outputs["ApiId"], Stage="$default")

    def log(self):
        """Returns the log of the emulator and the functions."""
        return self._emulator.log.read_text(errors="replace")

    def lines(self, function):
        """Returns a function's log lines, parsed as JSON. Lines that Lambda itself writes are left out."""
        pages = self.client("logs").get_paginator("filter_log_events").paginate(
            logGroupName=f"/aws/lambda/{STACK}-{function}"
        )
        messages = (event["message"] for page in pages for event in page["events"])
        return [json.loads(message) for message in messages if message.startswith("{")]

    def counted(self, function, event):
        """Returns the count of an event in a function's metrics."""
        metrics = (line for line in self.lines(function) if "_aws" in line)
        return sum(line.get(event, 0) for line in metrics)

    # --- the table -------------------------------------------------------------------------------

    def describe(self, table):
        """Returns the names of a table's keys, and its indexes."""
        found = self.client("dynamodb").describe_table(TableName=table)["Table"]
        keys = [key["AttributeName"] for key in found["KeySchema"]]
        return keys, found.get("GlobalSecondaryIndexes", [])

    def lookup(self, table, key):
        """Returns the current item, or `None`. Does not go through the proxy."""
        answer = self.client("dynamodb").get_item(TableName=table, Key=key, ConsistentRead=True)
        return answer.get("Item")

    def login(self, session_id):
        """Returns the item of a login."""
        return self.lookup(self.table, login_key(session_id))

    def watchers(self, session_id):
        """Returns the connections that watch a login."""
        return [watcher["S"] for watcher in self.login(session_id)["watchers"]["L"]]

    def confirmation(self, confirmation_id):
        """Returns the item of a confirmation."""
        return self.lookup(self.table, confirmation_key(confirmation_id))

    def expire(self, key):
        """Lets the validity of a confirmation end, so that a test need not wait for it."""
        self._change(key, lambda item: item["expires"].update(N="1"))

    def make_due(self, key):
        """Makes a webhook due for the sweep, so that a test need not wait for it."""

        def change(item):
            owed = item["notice"]["M"] if "notice" in item else item["state"]["M"]["verified"]["M"]
            # The notice about a phone registration is nothing but its delivery.
            delivery = owed["delivery"]["M"] if "delivery" in owed else owed
            delivery["progress"]["M"]["pending"]["M"]["due"] = item["due_at"] = {"N": "0"}

        self._change(key, change)

    def _change(self, key, change):
        item = self.lookup(self.table, key)
        seen = {":seen": item["r"]}
        change(item)
        self.client("dynamodb").put_item(
            TableName=self.table,
            Item=item,
            ConditionExpression="r = :seen",
            ExpressionAttributeValues=seen,
        )

    # --- queues and functions --------------------------------------------------------------------

    def queue(self, name):
        """Returns the URL of a queue: `FirstAttempts`, `RetriesDead`, and so on."""
        return self.outputs[f"{name}QueueUrl"]

    def messages(self, name):
        """Receives and deletes up to ten messages of a queue, and returns their bodies."""
        sqs, url = self.client("sqs"), self.queue(name)
        found = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
        for message in found:
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return [message["Body"] for message in found]

    def lose_message(self, name, text):
        """Waits for a message in a queue that holds `text`, and deletes it and those found before it.
        Returns its body."""

        def found():
            return next((body for body in self.messages(name) if text in body), None)

        return waiting.until(f"a message in {name}", found)

    def waiting_messages(self, name):
        """Returns the number of messages in a queue, and of the ones that were received but not deleted."""
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        found = self.client("sqs").get_queue_attributes(
            QueueUrl=self.queue(name), AttributeNames=names
        )["Attributes"]
        return tuple(int(found[name]) for name in names)

    def purge(self, name):
        """Deletes all messages of a queue, even received ones."""
        self.client("sqs").purge_queue(QueueUrl=self.queue(name))

    @contextlib.contextmanager
    def queue_attribute(self, name, attribute, value):
        """Changes a queue's attribute during a block."""
        sqs, url = self.client("sqs"), self.queue(name)
        before = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[attribute])["Attributes"]
        sqs.set_queue_attributes(QueueUrl=url, Attributes={attribute: value})
        try:
            yield
        finally:
            sqs.set_queue_attributes(QueueUrl=url, Attributes=before)

    @contextlib.contextmanager
    def without_reader(self, name):
        """Keeps the dispatcher from reading a queue during a block."""
        functions, arn = self.client("lambda"), self._queue_arn(name)
        mappings = functions.list_event_source_mappings()["EventSourceMappings"]
        mapping, = (one["UUID"] for one in mappings if one["EventSourceArn"] == arn)
        functions.update_event_source_mapping(UUID=mapping, Enabled=False)
        try:
            yield
        finally:
            functions.update_event_source_mapping(UUID=mapping, Enabled=True)

    @contextlib.contextmanager
    def without_sweep(self):
        """Turns the template's schedule off during a block."""
        events, rule = self.client("events"), f"{STACK}-sweep"
        events.disable_rule(Name=rule)
        try:
            yield
        finally:
            events.enable_rule(Name=rule)

    def forget_pending(self):
        """Takes what is still to be delivered out of the index in which the sweep looks."""
        dynamodb = self.client("dynamodb")
        for page in dynamodb.get_paginator("scan").paginate(TableName=self.table, IndexName="due"):
            for item in page["Items"]:
                dynamodb.update_item(
                    TableName=self.table,
                    Key={name: item[name] for name in ("pk", "sk")},
                    UpdateExpression="REMOVE due_shard",
                )

    def any_running(self):
        """Returns whether a function runs."""
        return self._emulator.any_running()

    def sweep(self):
        """Invokes the sweeper as the template's schedule does."""
        events = self.client("events")
        target, = events.list_targets_by_rule(Rule=f"{STACK}-sweep")["Targets"]
        answer = self.client("lambda").invoke(
            FunctionName=target["Arn"], Payload=target["Input"].encode()
        )
        assert "FunctionError" not in answer, answer["Payload"].read()

    def _queue_arn(self, name):
        attributes = self.client("sqs").get_queue_attributes(
            QueueUrl=self.queue(name), AttributeNames=["QueueArn"]
        )
        return attributes["Attributes"]["QueueArn"]

    def without(self, function, action):
        """Removes one action from a function's role during a block."""

        def take(statements):
            for statement in statements:
                if action in statement["Action"]:
                    statement["Action"] = [kept for kept in actions(statement) if kept != action]
            return [statement for statement in statements if statement["Action"]]

        return self.with_rights(function, take)

    def without_kind(self, function, action, kind):
        """Removes a kind of items from the ones that a function may reach by an action, during a block."""

        def take(statements):
            for statement in statements:
                if action in statement["Action"] and kind in kinds(statement):
                    kept = [one for one in kinds(statement) if one != kind]
                    statement["Condition"] = {"ForAllValues:StringLike": {LEADING_KEYS: kept}}
            return statements

        return self.with_rights(function, take)

    @contextlib.contextmanager
    def with_rights(self, function, change):
        """Applies `change` to the statements of a function's role during a block."""
        iam, name = self.client("iam"), self.role(function)
        policy, = iam.list_role_policies(RoleName=name)["PolicyNames"]
        document = iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
        other = json.loads(json.dumps(document))
        other["Statement"] = change(other["Statement"])
        assert other != document, f"the change left the role of {function} as it was"
        iam.put_role_policy(RoleName=name, PolicyName=policy, PolicyDocument=json.dumps(other))
        try:
            yield
        finally:
            whole = json.dumps(document)
            iam.put_role_policy(RoleName=name, PolicyName=policy, PolicyDocument=whole)

    def granted(self, function):
        """Returns the actions that a function's role allows, followed by the kind of items if it limits
        them."""
        found = set()
        for statement in self.statements(function):
            limits = [f" {kind}" for kind in kinds(statement)] or [""]
            found |= {action + limit for action in actions(statement) for limit in limits}
        return found

    def statements(self, function):
        """Returns the statements of all policies in a function's role."""
        iam, name = self.client("iam"), self.role(function)
        return [
            statement
            for policy in iam.list_role_policies(RoleName=name)["PolicyNames"]
            for statement in iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]["Statement"]
        ]

    def may(self, function, operation, partition):
        """Returns whether the role of a function that has run lets it call an operation of DynamoDB on a
        partition. Changes nothing."""
        place = {"TableName": self.table}
        key = {"pk": {"S": partition}, "sk": {"S": "NOTHING"}}
        never = {"ConditionExpression": "attribute_exists(nothing)"}
        arguments = {
            "get_item": {"Key": key},
            "put_item": {"Item": key, **never},
            "update_item": {"Key": key, **never},
            "delete_item": {"Key": key, **never},
            "query": {
                "KeyConditionExpression": "pk = :pk",
                "ExpressionAttributeValues": {":pk": {"S": partition}},
            },
        }
        if operation == "batch_get_item":
            place, arguments[operation] = {}, {"RequestItems": {self.table: {"Keys": [key]}}}
        client = self._emulator.client("dynamodb", function=f"{STACK}-{function}")
        try:
            getattr(client, operation)(**place, **arguments[operation])
        except client.exceptions.ConditionalCheckFailedException:
            return True
        except client.exceptions.ClientError as error:
            if error.response["Error"]["Code"] == "AccessDeniedException":
                return False
            raise
        return True

    def signer(self, access_key):
        """Returns the function that signs with an access key, without the stack's name."""
        # The emulator's report may arrive after the function's first calls.
        signers = self._emulator.signers
        name = waiting.until(f"the owner of {access_key}", lambda: signers.get(access_key))
        return name.removeprefix(f"{STACK}-")

    def set_variables(self, function, **changed):
        """Changes environment variables of a function, and publishes it as a deployment does. Returns the
        former values."""
        functions, name = self.client("lambda"), f"{STACK}-{function}"
        held = functions.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
        former = {key: held[key] for key in changed}
        functions.update_function_configuration(
            FunctionName=name, Environment={"Variables": held | changed}
        )
        version = functions.publish_version(FunctionName=name)["Version"]
        functions.update_alias(FunctionName=name, Name="live", FunctionVersion=version)
        return former

    def restart(self, function):
        """Ends a function's processes, so that its next event starts a new one."""
        self._emulator.restart(f"{STACK}-{function}")

    def invocations(self):
        """Returns the number of invocations by function, without the stack's name."""
        made = self._emulator.invocations()
        return Counter({name.removeprefix(f"{STACK}-"): count for name, count in made.items()})

    def role(self, function):
        """Returns the name of a function's role."""
        found = self.client("lambda").get_function_configuration(FunctionName=f"{STACK}-{function}")
        return found["Role"].rpartition("/")[2]


def actions(statement):
    """Returns the actions of a policy's statement as a list, even if it is written as a single string."""
    found = statement["Action"]
    return [found] if isinstance(found, str) else found


def kinds(statement):
    """Returns the kinds of items that a policy's statement is limited to."""
    conditions = statement.get("Condition", {}).values()
    return [kind for condition in conditions for kind in condition.get(LEADING_KEYS, [])]


def confirmation_key(confirmation_id):
    """Returns the key of a confirmation's item."""
    return {"pk": {"S": f"CFM#{confirmation_id.removeprefix('cfm_')}"}, "sk": {"S": "CFM"}}


def login_key(session_id):
    """Returns the key of a login's item."""
    return {"pk": {"S": f"QR#{session_id}"}, "sk": {"S": "QR"}}


def registration_key(registration_id):
    """Returns the key of a phone registration's item."""
    return {"pk": {"S": f"PHR#{registration_id}"}, "sk": {"S": "PHR"}}
