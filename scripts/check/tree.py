"""Helpers for the checks: lists files, reads them, and prints findings."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {".git", ".tools", "node_modules", "target"}


def files(root, *suffixes):
    """Returns the files below `root` that are or could be committed, sorted, with these suffixes."""
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=False,
    )
    if listing.returncode == 0:
        names = listing.stdout.decode().split("\0")
    else:  # An unpacked archive.
        names = [
            os.path.relpath(os.path.join(directory, name), root)
            for directory, folders, found in os.walk(root)
            if not folders.__setitem__(slice(None), [f for f in folders if f not in NOT_OURS])
            for name in found
        ]
    wanted = sorted({name for name in names if name and (not suffixes or name.endswith(suffixes))})
    return [Path(root, name) for name in wanted if Path(root, name).is_file()]


def lines(path):
    """Returns the lines of a text file, or no lines if the file is not text."""
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return []


def finish(findings, warnings=()):
    """Prints warnings and findings, and exits with 1 if there are findings."""
    for warning in warnings:
        print(f"warning: {warning}")
    for finding in findings:
        print(finding)
    sys.exit(1 if findings else 0)
