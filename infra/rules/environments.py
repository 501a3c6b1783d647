"""The examples of infra/environments, which operators copy, fit the template."""

import re
import tomllib

import hcl2
from model import rule
from terraform import KEYS, snake

# Without these a copy would not deploy, or `sam` would not find what it needs.
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
    """The parameters that an environment's file sets."""
    settings = tomllib.loads(text)["default"]["global"]["parameters"]
    return dict(entry.split("=", 1) for entry in settings["parameter_overrides"])


@rule
def the_example_for_sam_fits_the_template(template):
    found = tomllib.loads(template.example)["default"]
    for key, value in _DEPLOY.items():
        if found["deploy"]["parameters"].get(key) != value:
            yield f"example.toml: {key} is not {value}"
    # `sam build` and `sam deploy` both read `global`, and both need the architecture and the loops.
    for key in ("stack_name", "region", "language_extensions", "parameter_overrides"):
        if not found["global"]["parameters"].get(key):
            yield f"example.toml: no {key} for all commands"
    shown = listed(uncommented(template.example, r'"\w+='))
    yield from (f"example.toml: does not show {key}" for key in KEYS if key not in shown)
    yield from (f"example.toml: sets {key}" for key in KEYS if key in listed(template.example))
    for name, value in shown.items():
        parameter = template.source["Parameters"].get(name)
        if parameter is None:
            yield f"example.toml: no parameter {name}"
            continue
        # Lists are checked entry by entry, by the pattern of the signing key.
        pattern = parameter.get("AllowedPattern") or template.source["Parameters"]["SigningKeyArn"].get(
            "AllowedPattern"
        )
        if not (value in parameter["AllowedValues"] if "AllowedValues" in parameter else re.search(pattern, value)):
            yield f"example.toml: {name} cannot be {value}"


@rule
def the_example_for_terraform_is_the_same(template):
    whole = hcl2.loads(uncommented(template.example_for_terraform, r"\w+\s+="))
    wanted = {snake(name) for name in listed(uncommented(template.example, r'"\w+='))}
    wanted |= {"deployment", "bucket"}
    found = {name for name in whole if not name.startswith("__")}
    yield from (f"example.tfvars: {name} is on one side alone" for name in sorted(found ^ wanted))
    required = hcl2.loads(template.example_for_terraform)
    for key in map(snake, KEYS):
        if key not in required:
            yield f"example.tfvars: {key} has to be set, since it has no default"
