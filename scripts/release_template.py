"""Prints the template for the archives of a release, whose functions are zips in the same folder.

    python3 scripts/release_template.py ARCHITECTURE < infra/template.yaml

With it, `sam deploy` needs no build, and therefore neither Rust nor this repository.
"""

import re
import sys

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


if __name__ == "__main__":
    if sys.argv[1:] not in [[name] for name in ARCHITECTURES]:
        sys.exit(f"usage: release_template.py {'|'.join(ARCHITECTURES)} < infra/template.yaml")
    sys.stdout.write(released(sys.stdin.read(), sys.argv[1]))
