"""Checks the template with all rules.

`check.py expand FILE [NAME=VALUE...]` instead writes the template to FILE as SAM expands it.
"""

import json
import sys

import alarms  # noqa: F401
import api  # noqa: F401
import functions  # noqa: F401
import parameters  # noqa: F401
import queues  # noqa: F401
import storage  # noqa: F401
import terraform  # noqa: F401
from model import RULES, Template


def findings(template):
    """Returns the findings of all rules, one line each."""
    return [f"{rule.__name__}: {found}" for rule in RULES for found in rule(template)]


def main(arguments):
    """Runs the command, and returns its exit status: 1 if there is a finding."""
    given = dict(argument.split("=", 1) for argument in arguments[2:])
    template = Template(**given)
    if arguments[:1] == ["expand"]:
        with open(arguments[1], "w", encoding="utf-8") as out:
            json.dump(template.expanded, out, indent=1)
        return 0
    found = findings(template)
    for line in found:
        print(f"infra/template.yaml: {line}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
