"""Prints the template for the archives of a release: its functions are the zips that lie beside it.

    python3 scripts/release_template.py ARCHITECTURE < infra/template.yaml

`sam deploy` then needs no build, and so neither Rust nor this repository.
"""

import re
import sys

ARCHITECTURES = ("arm64", "x86_64")


class Unexpected(Exception):
    """The template does not have the form that this script rewrites."""


def once(pattern, replacement, text):
    """Replaces a pattern that occurs exactly once."""
    text, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
    if count != 1:
        raise Unexpected(f"{count} places match {pattern}")
    return text


def functions(template):
    """The names of the functions' binaries, which are those of the zips."""
    return re.findall(r"^    Metadata: \{ BuildMethod: .*\{ Binary: ([a-z-]+) \} \}$", template, re.MULTILINE)


def released(template, architecture):
    """The template, with zips of one architecture in place of the source."""
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
