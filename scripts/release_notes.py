"""Prints the notes of a release from CHANGELOG.md: release_notes.py v1.2.3

Fails if the workspace has another version, or if the changelog has no section for the release.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def notes(tag, workspace, changelog):
    """Returns the changelog's section for `tag`."""
    version = tomllib.loads(workspace)["workspace"]["package"]["version"]
    if tag != f"v{version}":
        raise SystemExit(f"the tag is {tag}, but Cargo.toml has version {version}")
    heading = rf"^## \[{re.escape(version)}\] - \d{{4}}-\d{{2}}-\d{{2}}$"
    section = re.search(rf"{heading}\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if section is None or not section[1].strip():
        raise SystemExit(f"CHANGELOG.md has no section `## [{version}] - YYYY-MM-DD`")
    return section[1].strip()


if __name__ == "__main__":
    print(
        notes(
            sys.argv[1],
            (ROOT / "Cargo.toml").read_text(encoding="utf-8"),
            (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        )
    )
