"""Writes the templates of a release into a folder, in which the functions are zips.

    python3 scripts/release_template.py ARCHITECTURE FOLDER

With them, `sam deploy` needs no build, and therefore neither Rust nor this repository.
"""

import re
import shutil
import sys
from pathlib import Path

TEMPLATE = Path(__file__).resolve().parents[1] / "infra" / "template.yaml"
ARCHITECTURES = ("arm64", "x86_64")


class Unexpected(Exception):
    """Raised if the template does not have the form that this script rewrites."""


def once(pattern, replacement, text):
    """Replaces a pattern that occurs exactly once."""
    text, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
    if count != 1:
        raise Unexpected(f"{count} places match {pattern}")
    return text


def functions(template):
    """Returns the names of the functions' binaries, after which the zips are named."""
    return re.findall(r"^    Metadata: \{ BuildMethod: .*\{ Binary: ([a-z-]+) \} \}$", template, re.MULTILINE)


def released(template, architecture):
    """Returns the template with zips of one architecture instead of the source."""
    template = once(r"^    CodeUri: \.\./functions/\n", "", template)
    template = once(
        r"(^  Architecture:\n(?:    .*\n)*?    Default: ).*$", rf"\g<1>{architecture}", template
    )
    names = functions(template)
    template, count = re.subn(
        r"^    Metadata: \{ BuildMethod: .*\{ Binary: ([a-z-]+) \} \}\n    Properties:$",
        r"    Properties:\n      CodeUri: \1.zip",
        template,
        flags=re.MULTILINE,
    )
    if not names or count != len(names) or "BuildMethod" in template:
        raise Unexpected(f"{count} of {len(names)} functions have the expected form")
    return template


def nested(template):
    """Returns the names of the templates that a template refers to, which are beside it."""
    return re.findall(r"^      TemplateURL: ([a-z-]+\.yaml)$", template, re.MULTILINE)


def write(folder, architecture):
    """Writes the template and the templates that it refers to."""
    template = TEMPLATE.read_text(encoding="utf-8")
    Path(folder, TEMPLATE.name).write_text(released(template, architecture), encoding="utf-8")
    for name in nested(template):
        shutil.copy(TEMPLATE.with_name(name), folder)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ARCHITECTURES:
        sys.exit(f"usage: release_template.py {'|'.join(ARCHITECTURES)} FOLDER")
    write(sys.argv[2], sys.argv[1])
