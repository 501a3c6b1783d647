"""Rules for the Terraform module, which passes on every parameter and output of the template."""

import re

import hcl2
from model import rule

# Variables about the deployment itself, which are not parameters.
_OF_THE_STACK = {"deployment", "bucket", "template"}
# Parameters that must not have a default in Terraform, because it would undo a rotation of the signing key, or
# the restore of a table.
WITHOUT_DEFAULT = (
    *("SigningKeyArn", "PublishedKeyArns", "ExistingTableName"),
    *("LocalKey", "LocalKeyWrapperArn", "LocalPublicKeys"),
)


def snake(name):
    """Returns a name as Terraform writes it: first_attempts_queue_url for `FirstAttemptsQueueUrl`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _blocks(parsed, kind):
    return {name.strip('"'): body for block in parsed.get(kind, []) for name, body in block.items()}


@rule
def terraform_passes_every_parameter(template):
    parameters = set(template.source["Parameters"])
    declared = _blocks(hcl2.loads(template.terraform), "variable")
    wanted = _OF_THE_STACK | set(map(snake, parameters))
    yield from (f"terraform: variable {name} is on one side only" for name in declared.keys() ^ wanted)
    undone = (snake(name) for name in WITHOUT_DEFAULT)
    yield from (f"terraform: {name} has a default" for name in undone if "default" in declared[name])
    passed = dict(re.findall(r"^ {4}([A-Z]\w+) += .*\bvar\.(\w+)\b", template.terraform, re.M))
    for name in sorted(parameters):
        if passed.get(name) != snake(name):
            yield f"terraform: {name} is not var.{snake(name)}"
    yield from (f"terraform: there is no parameter {name}" for name in passed.keys() - parameters)


@rule
def terraform_passes_every_output(template):
    found = {
        name: str(body["value"])
        for name, body in _blocks(hcl2.loads(template.terraform), "output").items()
    }
    wanted = {snake(name): name for name in template.source["Outputs"] if not name.endswith("FunctionName")}
    wanted["function_names"] = "FunctionName"
    yield from (f"terraform: output {name} is on one side only" for name in found.keys() ^ wanted)
    for name in found.keys() & wanted.keys():
        if f'"{wanted[name]}"' not in found[name]:
            yield f"terraform: output {name} is not {wanted[name]}"
