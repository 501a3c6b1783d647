"""Every crate is a member like the others, and dependencies point one way.

The arrows are those of docs/architecture.md: hosts at the top, `domain` at the bottom.
"""

import tomllib

import tree

# What each crate may build on, among ours. Crates that only test may use all of them.
LAYERS = {
    "countersign-domain": set(),
    "countersign-records": {"countersign-domain"},
    # Its route for inbound texts has them authenticated and parsed there.
    "countersign-api": {"countersign-domain", "countersign-inbound"},
    "countersign-inbound": {"countersign-domain"},
    "countersign-webhook": {"countersign-domain"},
    "countersign-system": {"countersign-domain"},
    "countersign-sealing": {"countersign-domain"},
    "countersign-proof": {"countersign-domain"},
    "countersign-aws": {
        "countersign-domain",
        "countersign-api",
        "countersign-inbound",
        "countersign-proof",
        "countersign-records",
        "countersign-webhook",
        "countersign-system",
    },
    "countersign-embedded": {"countersign-domain", "countersign-records"},
    "countersign": {
        "countersign-domain",
        "countersign-api",
        "countersign-inbound",
        "countersign-webhook",
        "countersign-embedded",
        "countersign-system",
        # The command is a phone too, and verifies proofs.
        "countersign-sealing",
        "countersign-proof",
        # Behind the feature `aws`: administration of a deployed table.
        "countersign-aws",
    },
    # Mains alone: wiring.
    "countersign-functions": {"countersign-api", "countersign-aws"},
    "countersign-conformance": {"countersign-domain"},
    "countersign-emulators": set(),
    "countersign-simulation": {"countersign-domain", "countersign-conformance"},
    "countersign-e2e": None,
    "countersign-interop": None,
    "countersign-load": None,
    "countersign-receivers-tests": None,
    # What a customer would write, so nothing of ours.
    "countersign-sample-receiver": set(),
}
# What a crate must not know of: the domain neither runs nor speaks.
FOREIGN = {
    "countersign-domain": ("tokio", "axum", "hyper", "http", "reqwest", "redb", "getrandom", "rand"),
    "countersign-api": ("reqwest", "redb", "getrandom"),
    "countersign-records": ("tokio", "axum", "hyper", "http", "reqwest", "redb", "getrandom", "rand"),
    "countersign-inbound": ("tokio", "axum", "reqwest", "redb", "getrandom"),
    "countersign-webhook": ("axum", "redb"),
    "countersign-sealing": ("tokio", "axum", "reqwest", "redb", "getrandom"),
    "countersign-proof": ("tokio", "axum", "reqwest", "redb", "getrandom"),
}
# Who may speak with AWS: its adapters, and the command for a deployed table.
KNOW_AWS = ("countersign-aws", "countersign")
INHERITED = ("version", "edition", "rust-version", "license", "publish")
TABLES = ("dependencies", "dev-dependencies", "build-dependencies")


def dependency_tables(manifest):
    """Each table of dependencies, those for one platform too, with its kind."""
    for scope in (manifest, *manifest.get("target", {}).values()):
        for kind in TABLES:
            yield kind, scope.get(kind, {})


def of_member(place, manifest):
    """What is wrong with the manifest of one crate."""
    package = manifest.get("package", {})
    name = package.get("name", "?")
    if manifest.get("lints", {}) != {"workspace": True}:
        yield f"{place}: does not say `[lints] workspace = true`, and nothing else"
    for field in INHERITED:
        if package.get(field) != {"workspace": True}:
            yield f"{place}: `{field}` is not inherited from the workspace"
    if name not in LAYERS:
        yield f"{place}: {name} has no line in LAYERS of scripts/check/members.py"
    for kind, table in dependency_tables(manifest):
        for dependency, spec in table.items():
            if not (isinstance(spec, dict) and spec.get("workspace") is True):
                yield f"{place}: {dependency} is not `workspace = true`"
            if kind == "dev-dependencies":
                continue
            allowed = LAYERS.get(name)
            if dependency.startswith("countersign") and allowed is not None:
                if dependency not in allowed:
                    yield f"{place}: {name} must not build on {dependency}"
            if dependency in FOREIGN.get(name, ()):
                yield f"{place}: {name} must not know of {dependency}"
            if dependency.startswith("aws-") and name not in KNOW_AWS:
                yield f"{place}: {name} must not know of {dependency}"


def of_clippy(root):
    """Where a crate's clippy.toml, which replaces the root's, forgets one of its settings."""
    common = tomllib.loads((root / "clippy.toml").read_text(encoding="utf-8"))
    for path in tree.files(root, "clippy.toml"):
        own = tomllib.loads(path.read_text(encoding="utf-8"))
        for key, value in common.items():
            same = all(v in own.get(key, []) for v in value) if isinstance(value, list) else (
                own.get(key) == value
            )
            if not same:
                yield f"{path.relative_to(root)}: `{key}` is not as in the root's clippy.toml"


def findings(root):
    """One line for each rule that a manifest breaks."""
    workspace = tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    members = {pattern.rstrip("/") for pattern in workspace["members"]}
    found = []
    for path in tree.files(root, "Cargo.toml"):
        directory = path.parent.relative_to(root).as_posix()
        if directory == ".":
            continue
        place = path.relative_to(root).as_posix()
        if directory not in members:
            found.append(f"{place}: is no member of the workspace")
            continue
        found += of_member(place, tomllib.loads(path.read_text(encoding="utf-8")))
    for name, spec in workspace.get("dependencies", {}).items():
        if isinstance(spec, dict) and "git" in spec:
            found.append(f"Cargo.toml: {name} comes from git")
        elif isinstance(spec, dict) and "path" not in spec and "version" not in spec:
            found.append(f"Cargo.toml: {name} has no version")
        if spec == "*" or (isinstance(spec, dict) and spec.get("version") == "*"):
            found.append(f"Cargo.toml: {name} takes any version")
    return found + list(of_clippy(root))


if __name__ == "__main__":
    tree.finish(findings(tree.ROOT))
