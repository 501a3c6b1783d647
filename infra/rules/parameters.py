"""Rules for parameters and outputs."""

import re

from contract import OUTPUTS
from model import names, rule


@rule
def every_parameter_has_a_default_that_deploys(template):
    for name, parameter in template.source["Parameters"].items():
        if "Default" not in parameter:
            yield f"{name}: no default"
            continue
        default = parameter["Default"]
        pattern = parameter.get("AllowedPattern")
        if pattern and not re.search(pattern, str(default)):
            yield f"{name}: its default does not match its pattern"
        if "AllowedValues" in parameter and default not in parameter["AllowedValues"]:
            yield f"{name}: its default is not allowed"
        if not parameter.get("MinValue", default) <= default <= parameter.get("MaxValue", default):
            yield f"{name}: its default is out of bounds"


@rule
def every_parameter_is_used_and_explained(template):
    used = names({k: v for k, v in template.source.items() if k != "Metadata"})
    # `names` leaves out the conditions of `Fn::If`, but the section Conditions is included.
    interface = template.source["Metadata"]["AWS::CloudFormation::Interface"]
    grouped = [p for group in interface["ParameterGroups"] for p in group["Parameters"]]
    for name, parameter in template.source["Parameters"].items():
        if name not in used:
            yield f"{name}: not used"
        if grouped.count(name) != 1:
            yield f"{name}: is not in exactly one group"
        if not parameter.get("Description"):
            yield f"{name}: no description"
        if f"| `{name}` |" not in template.operations:
            yield f"{name}: not in the table of docs/operations.md"


@rule
def every_output_exists(template):
    found = set(template.source["Outputs"])
    yield from (f"no output {name}" for name in sorted(OUTPUTS - found))


@rule
def domain_requires_a_certificate(template):
    rules = template.source.get("Rules", {})
    asserted = [names(r["Assertions"]) for r in rules.values() if "DomainName" in names(r)]
    if {"CertificateArn"} not in asserted:
        yield "no rule requires CertificateArn for DomainName"
    for name in ("HttpApiDomain", "HttpApiDomainMapping", "OwnNumber", "AlarmSubscription"):
        if "Condition" not in template.resources.get(name, {}):
            yield f"{name}: has no condition"
