"""Checks that figures in documents fit the tree: how many functions there are, and how many crates a first
`make run` compiles."""

import re
import subprocess
import tomllib

import tree

WORDS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
FUNCTIONS = re.compile(rf"\b({'|'.join(WORDS)}|\d+)\s+(?:small\s+|Lambda\s+)?functions\b", re.IGNORECASE)
# Pages that state the number of functions in a deployment.
STATED = ("README.md", "docs/operations.md", "docs/architecture.md", "docs/first-deployment.md", "infra/template.yaml")
CRATES = re.compile(r"compiles about (\d+) crates")
# Fraction of the crates before "about" is wrong.
TOLERANCE = 0.03


def number(word):
    """Returns the number that a word or digits stand for."""
    return int(word) if word.isdigit() else WORDS.index(word.lower())


def functions(root):
    """Returns how many functions a deployment has."""
    manifest = tomllib.loads((root / "functions/Cargo.toml").read_text(encoding="utf-8"))
    return len(manifest["bin"])


def wrong_functions(root):
    """Returns a line for each place that states another number of functions."""
    count = functions(root)
    found = []
    for name in STATED:
        path = root / name
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        for stated in FUNCTIONS.finditer(text):
            if number(stated[1]) != count:
                line = text.count("\n", 0, stated.start()) + 1
                found.append(f"{name}:{line}: {stated[0]}, but functions/Cargo.toml has {count}")
    return found


def compiled(root):
    """Returns how many crates a build of the server compiles on this machine."""
    command = ["cargo", "tree", "--package", "countersign", "--edges", "normal,build", "--prefix", "none", "--locked"]
    listing = subprocess.run(command, cwd=root, capture_output=True, check=True, text=True)
    return len({tuple(line.split()[:2]) for line in listing.stdout.splitlines() if line.strip()})


def wrong_crates(makefile, count):
    """Returns a line if the Makefile states another number of crates."""
    stated = CRATES.search(makefile)
    if not stated:
        return ["Makefile: does not say how many crates a first `make run` compiles"]
    if abs(int(stated[1]) - count) > TOLERANCE * count:
        return [f"Makefile: {stated[0]}, but there are {count}"]
    return []


if __name__ == "__main__":
    makefile = (tree.ROOT / "Makefile").read_text(encoding="utf-8")
    tree.finish(wrong_functions(tree.ROOT) + wrong_crates(makefile, compiled(tree.ROOT)))
