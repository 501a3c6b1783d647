"""Checks that a release packs everything that scripts/pack.sh can pack, that docs/releasing.md lists each archive,
that docs/packages.md names the versions that the tests use, and that no page fetches a package by its name."""

import json
import re

import tree


def findings(root):
    """Returns a line for each package that a release lacks, and for each archive that its page does not list."""
    script = (root / "scripts/pack.sh").read_text(encoding="utf-8")
    workflow = (root / ".github/workflows/release.yml").read_text(encoding="utf-8")
    page = (root / "docs/releasing.md").read_text(encoding="utf-8")
    steps = [set(re.findall(r"\w+", step)) for step in re.findall(r"^ +- name: (Pack .*)$", workflow, re.M)]
    found = []
    names = re.search(r'^all="(.*)"$', script, re.M)[1].split()
    for name in names:
        if not any(name in step for step in steps):
            found.append(f".github/workflows/release.yml: has no step that packs {name}")
    header = dict(re.findall(r"^#   (\w+) +(.*)$", script, re.M))
    for name in names:
        archives = re.findall(r"[\w-]+-VERSION[\w.-]*\.(?:tar\.gz|tgz|zip|whl|crate)", header.get(name, ""))
        if not archives:
            found.append(f"scripts/pack.sh: does not say which archive {name} is")
        found += [f"docs/releasing.md: does not list {archive}" for archive in archives if archive not in page]
    return found


# Commands that would fetch a name that is not ours from a registry (ADR 124). Archives and folders begin with a
# dot.
FETCHES = re.compile(
    r"(?:pip install|npm (?:install|i)|go (?:get|install)|cargo (?:install|add)) "
    r"['\"]?(?:@?countersign|github\.com/countersign)\b"
)


def fetched(root):
    """Returns a line for each command that installs one of our packages only by its name."""
    found = []
    checks = root / "scripts/check"
    for path in tree.files(root, ".md", ".py", ".mjs", ".js", ".ts", ".go", ".sh", ".yml", "requirements.txt"):
        for number, line in enumerate(tree.lines(path) if checks not in path.parents else [], 1):
            if FETCHES.search(line) or (path.name == "requirements.txt" and line.startswith("countersign")):
                place = f"{path.relative_to(root)}:{number}"
                found.append(f"{place}: fetches a name that may be a stranger's: {line.strip()}")
    return found


def pinned(root):
    """Returns the versions that the tests use, by package."""
    found = {}
    for path in sorted(root.glob("tests/packages/projects/*/package.json")):
        project = json.loads(path.read_text(encoding="utf-8"))
        for name, version in {**project.get("dependencies", {}), **project.get("devDependencies", {})}.items():
            # An alias is `npm:NAME@VERSION`.
            alias = re.fullmatch(r"npm:(.+)@(.+)", version)
            name, version = alias.groups() if alias else (name, version)
            found.setdefault(name, set()).add(version)
    for line in (root / "scripts/setup/python-consumer.in").read_text(encoding="utf-8").splitlines():
        if "==" in line and not line.startswith("#"):
            name, version = line.split("==")
            found.setdefault(name, set()).add(version)
    return found


def stale(root):
    """Returns a line for each version on the page that no test uses."""
    versions = pinned(root)
    page = (root / "docs/packages.md").read_text(encoding="utf-8")
    return [
        f"docs/packages.md: {name} {version}, but the tests use {', '.join(sorted(versions.get(name, ['none'])))}"
        for name, version in re.findall(r"`([@\w/.-]+) (\d[\w.]*)`", page)
        if version not in versions.get(name, ())
    ]


if __name__ == "__main__":
    tree.finish(findings(tree.ROOT) + stale(tree.ROOT) + fetched(tree.ROOT))
