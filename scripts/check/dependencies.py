"""What we build on obeys deny.toml: licences, duplicates, sources, banned crates.

cargo-deny reads the same file in the hosted workflow, and knows advisories besides; it takes a
quarter of an hour to build, so this does what needs no database. The licences of npm and Python
packages are not looked at: tests alone use them, but for those in the login element's script, whose
build wants them MIT and writes them down (clients/widget/scripts/build.mjs).
"""

import json
import subprocess
import tomllib

import spdx
import tree


def cargo(root, *arguments):
    """What a cargo command prints."""
    command = ["cargo", *arguments, "--locked", "--all-features"]
    return subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout


def built(root, targets):
    """The packages that are built, for tests too, on any of the platforms that we build for.

    `cargo metadata` knows licences, but also lists crates that weak features (`a?/b`) leave out.
    `cargo tree` lists what is built.
    """
    names = set()
    for target in targets:
        listing = cargo(root, "tree", "--workspace", "--target", target, "--prefix", "none")
        names.update(tuple(line.split()[:2]) for line in listing.splitlines() if line.strip())
    filters = [word for target in targets for word in ("--filter-platform", target)]
    packages = json.loads(cargo(root, "metadata", "--format-version", "1", *filters))["packages"]
    return [p for p in packages if (p["name"], f"v{p['version']}") in names]


def compatible(version):
    """What cargo would merge: versions that agree up to their first number that is not zero."""
    numbers = version.split("+")[0].split("-")[0].split(".")
    for index, number in enumerate(numbers):
        if number != "0":
            return ".".join(numbers[: index + 1])
    return version


def matches(spec, package):
    """Whether a `crate = "name@version"` of deny.toml means this package."""
    name, _, version = spec.partition("@")
    return name == package["name"] and (
        not version or f"{package['version']}.".startswith(f"{version}.")
    )


def licences(policy, packages):
    """Crates whose licence is missing, unreadable or not allowed."""
    allow = set(policy["licenses"]["allow"])
    for package in packages:
        place, licence = f"{package['name']} {package['version']}", package["license"]
        if not licence:
            yield f"{place}: has no licence expression"
            continue
        try:
            if not spdx.allowed(licence, allow):
                yield f"{place}: its licence is {licence}, which deny.toml does not allow"
        except ValueError as error:
            yield f"{place}: {error}"


def duplicates(policy, packages):
    """Crates in several incompatible versions, and exceptions that nothing needs any more."""
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
            yield f"{name}: in versions {', '.join(sorted(kept))}; see bans.skip of deny.toml"
    for skip in skips:
        if skip not in used:
            yield f"deny.toml: bans.skip has {skip}, of which there is no second version"


def sources(policy, packages):
    """Crates from anywhere but the public index and the tree, and banned ones."""
    banned = [entry["crate"] for entry in policy["bans"].get("deny", [])]
    for package in packages:
        place, source = f"{package['name']} {package['version']}", package["source"]
        if source and source != "registry+https://github.com/rust-lang/crates.io-index":
            yield f"{place}: comes from {source}"
        if any(matches(spec, package) for spec in banned):
            yield f"{place}: deny.toml bans it"


def findings(policy, packages):
    """One line for each crate that breaks the policy."""
    return [
        finding
        for check in (licences, duplicates, sources)
        for finding in check(policy, packages)
    ]


def main(root):
    """Reads policy and packages, and judges."""
    policy = tomllib.loads((root / "deny.toml").read_text(encoding="utf-8"))
    try:
        packages = built(root, policy["graph"]["targets"])
    except subprocess.CalledProcessError as error:  # cargo has said what is wrong.
        tree.finish([str(error)])
    tree.finish(findings(policy, packages))


if __name__ == "__main__":
    main(tree.ROOT)
