"""Rules for the examples in infra/environments, which operators copy."""

import re
import tomllib

import hcl2
from model import rule
from terraform import KEYS, snake

# Settings that a copy needs to be deployed.
_DEPLOY = {
    "resolve_s3": True,
    "capabilities": "CAPABILITY_NAMED_IAM",
    "confirm_changeset": True,
    "fail_on_empty_changeset": False,
}


def uncommented(text, assignment):
    """Returns the text with its commented assignments uncommented."""
    return re.sub(rf"^(\s*)# ({assignment})", r"\1\2", text, flags=re.M)


def listed(text):
    """Returns the parameters that an environment's file sets."""
    settings = tomllib.loads(text)["default"]["global"]["parameters"]
    return dict(entry.split("=", 1) for entry in settings["parameter_overrides"])


@rule
def sam_example_fits_the_template(template):
    found = tomllib.loads(template.example)["default"]
    for key, value in _DEPLOY.items():
        if found["deploy"]["parameters"].get(key) != value:
            yield f"example.toml: {key} is not {value}"
    # `sam build` and `sam deploy` both read `global`, and both need the architecture and the loops.
    for key in ("stack_name", "region", "language_extensions", "parameter_overrides"):
        if not found["global"]["parameters"].get(key):
            yield f"example.toml: no {key} under `global`"
    shown = listed(uncommented(template.example, r'"\w+='))
    yield from (f"example.toml: does not show {key}" for key in KEYS if key not in shown)
    yield from (f"example.toml: sets {key}" for key in KEYS if key in listed(template.example))
    for name, value in shown.items():
        parameter = template.source["Parameters"].get(name)
        if parameter is None:
            yield f"example.toml: no parameter {name}"
            continue
        # A list has no pattern. Its entries are key ARNs.
        pattern = parameter.get("AllowedPattern") or template.source["Parameters"]["SigningKeyArn"].get(
            "AllowedPattern"
        )
        if not (value in parameter["AllowedValues"] if "AllowedValues" in parameter else re.search(pattern, value)):
            yield f"example.toml: {name} cannot be {value}"


@rule
def terraform_example_lists_the_same_parameters(template):
    whole = hcl2.loads(uncommented(template.example_for_terraform, r"\w+\s+="))
    wanted = {snake(name) for name in listed(uncommented(template.example, r'"\w+='))}
    wanted |= {"deployment", "bucket"}
    found = {name for name in whole if not name.startswith("__")}
    yield from (f"example.tfvars: {name} is only in one of the examples" for name in sorted(found ^ wanted))
    required = hcl2.loads(template.example_for_terraform)
    for key in map(snake, KEYS):
        if key not in required:
            yield f"example.tfvars: must set {key}, which has no default"
