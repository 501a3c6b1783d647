"""Checks dependencies against deny.toml: licences, duplicates, sources, banned crates.

In the hosted workflow, cargo-deny reads the same file and also checks advisories. It takes a quarter of
an hour to build, so this script does everything that needs no database. It does not check the licences
of npm and Python packages, because only tests use them. The exception are the packages in the login
element's script: its build requires the MIT licence and records it (clients/widget/scripts/build.mjs).
"""

import json
import subprocess
import tomllib

import spdx
import tree


def cargo(root, *arguments):
    """Returns the output of a cargo command."""
    command = ["cargo", *arguments, "--locked", "--all-features"]
    return subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout


def built(root, targets):
    """Returns the packages that are built on any of our platforms, including those for tests.

    `cargo metadata` has the licences, but also lists crates that weak features (`a?/b`) leave out.
    `cargo tree` lists only what is built.
    """
    names = set()
    for target in targets:
        listing = cargo(root, "tree", "--workspace", "--target", target, "--prefix", "none")
        names.update(tuple(line.split()[:2]) for line in listing.splitlines() if line.strip())
    filters = [word for target in targets for word in ("--filter-platform", target)]
    packages = json.loads(cargo(root, "metadata", "--format-version", "1", *filters))["packages"]
    return [p for p in packages if (p["name"], f"v{p['version']}") in names]


def compatible(version):
    """Returns a version up to its first number that is not zero. Cargo merges versions that agree in it."""
    numbers = version.split("+")[0].split("-")[0].split(".")
    for index, number in enumerate(numbers):
        if number != "0":
            return ".".join(numbers[: index + 1])
    return version


def matches(spec, package):
    """Returns whether a `crate = "name@version"` of deny.toml means this package."""
    name, _, version = spec.partition("@")
    return name == package["name"] and (
        not version or f"{package['version']}.".startswith(f"{version}.")
    )


def licences(policy, packages):
    """Yields crates whose licence is missing, unreadable or not allowed, and exceptions for no crate."""
    common = set(policy["licenses"]["allow"])
    exceptions = policy["licenses"].get("exceptions", [])
    for entry in exceptions:
        if not any(matches(entry["crate"], package) for package in packages):
            yield f"deny.toml: licenses.exceptions lists {entry['crate']}, which nothing needs"
    for package in packages:
        place, licence = f"{package['name']} {package['version']}", package["license"]
        fitting = [entry["allow"] for entry in exceptions if matches(entry["crate"], package)]
        allow = common.union(*fitting)
        if not licence:
            yield f"{place}: has no licence expression"
            continue
        try:
            if not spdx.allowed(licence, allow):
                yield f"{place}: its licence is {licence}, which deny.toml does not allow"
        except ValueError as error:
            yield f"{place}: {error}"


def duplicates(policy, packages):
    """Yields crates in several incompatible versions, and exceptions that are no longer needed."""
    skips = [entry["crate"] for entry in policy["bans"].get("skip", [])]
    used = set()
    by_name = {}
    for package in packages:
        by_name.setdefault(package["name"], []).append(package)
    for name, group in sorted(by_name.items()):
        if len({compatible(package["version"]) for package in group}) < 2:
            continue
        kept = []
        for package in group:
            fitting = [skip for skip in skips if matches(skip, package)]
            used.update(fitting)
            if not fitting:
                kept.append(package["version"])
        if len({compatible(version) for version in kept}) > 1:
            yield f"{name}: has versions {', '.join(sorted(kept))}; see bans.skip in deny.toml"
    for skip in skips:
        if skip not in used:
            yield f"deny.toml: bans.skip lists {skip}, but there is no second version of it"


def sources(policy, packages):
    """Yields crates that are neither from crates.io nor from this repository, and banned crates."""
    banned = [entry["crate"] for entry in policy["bans"].get("deny", [])]
    for package in packages:
        place, source = f"{package['name']} {package['version']}", package["source"]
        if source and source != "registry+https://github.com/rust-lang/crates.io-index":
            yield f"{place}: comes from {source}"
        if any(matches(spec, package) for spec in banned):
            yield f"{place}: deny.toml bans it"


def findings(policy, packages):
    """Returns a line for each crate that breaks the policy."""
    return [
        finding
        for check in (licences, duplicates, sources)
        for finding in check(policy, packages)
    ]


def main(root):
    """Checks the packages against the policy."""
    policy = tomllib.loads((root / "deny.toml").read_text(encoding="utf-8"))
    try:
        packages = built(root, policy["graph"]["targets"])
    except subprocess.CalledProcessError as error:  # cargo has printed the cause.
        tree.finish([str(error)])
    tree.finish(findings(policy, packages))


if __name__ == "__main__":
    main(tree.ROOT)
