"""Terraform's configuration as the rules see it."""

import functools
import re

import hcl2
from model import ROOT

FOLDER = ROOT / "infra/terraform"
_REFERENCE = re.compile(r"\b(aws_[a-z0-9_]+|var|local)\.([a-z0-9_]+)")
# What stands in a name beside the resource: where it is, and whose.
_PLACE = {"account", "partition", "region"}


def texts():
    """The files by name."""
    return {path.name: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.tf"))}


def camel(name):
    """`first_attempts` is FirstAttempts in logical ids."""
    return "".join(word.capitalize() for word in name.split("_"))


def snake(name):
    """The other way round."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _plain(value):
    """Without the parser's marks: strings are unquoted, expressions keep their `${}`."""
    if isinstance(value, dict):
        return {_plain(k): _plain(v) for k, v in value.items() if not str(k).startswith("__")}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        return value[1:-1]
    return value


@functools.cache
def _parsed(text):
    return _plain(hcl2.loads(text))


class Terraform:
    """All files, parsed and put together."""

    def __init__(self, files):
        self.variables, self.locals, self.resources, self.outputs, self.data = {}, {}, {}, {}, {}
        self.files = files
        for text in files.values():
            parsed = _parsed(text)
            for block in parsed.get("variable", []):
                self.variables |= block
            for block in parsed.get("output", []):
                self.outputs |= block
            for block in parsed.get("locals", []):
                self.locals |= block
            for kind, blocks in (("resource", self.resources), ("data", self.data)):
                for block in parsed.get(kind, []):
                    for name, body in block.items():
                        blocks |= {f"{name}.{key}": inner for key, inner in body.items()}

    def targets(self, value):
        """What a value refers to, by the logical ids of the template."""
        if isinstance(value, list):
            return set().union(*map(self.targets, value)) if value else set()
        # What decides between two values is not one of them.
        chosen = str(value).split(" ? ", 1)[-1]
        found = set()
        for kind, name in _REFERENCE.findall(chosen):
            if kind == "var":
                found.add(camel(name))
            elif kind == "local":
                found |= set() if name in _PLACE else self.targets(self.locals[name])
            else:
                found.add(logical_id(kind, name))
        return found - {"Deployment"}


def logical_id(kind, name):
    """What a resource is called in the template."""
    known = {
        "aws_dynamodb_table": "Table",
        "aws_kms_key": "SigningKey",
        "aws_secretsmanager_secret": "InboundSecrets",
        "aws_cloudwatch_event_rule": "SweepRule",
    }
    if kind == "aws_sqs_queue":
        return f"{camel(name)}Queue"
    if kind == "aws_apigatewayv2_api":
        return {"main": "HttpApi", "socket": "SocketApi"}[name]
    if kind == "aws_sns_topic":
        return {"inbound": "InboundTopic", "alarms": "AlarmTopic"}[name]
    return known.get(kind, f"{kind}.{name}")
