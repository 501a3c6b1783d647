"""Checks the manifests of all crates, and that dependencies between crates point one way.

docs/architecture.md has the same layers: hosts at the top, `domain` at the bottom.
"""

import tomllib

import tree

# Separate workspaces: the programs of the fuzz targets, and a function with which ours are compared.
OUTSIDE = ("fuzz", "benches/functions/stock")
# The crates of ours on which each crate may depend. `None` means all of them, for crates that only contain
# tests.
LAYERS = {
    "countersign-domain": set(),
    # Its inbound-text route uses `inbound` to authenticate and parse texts, and its login routes use `proof`
    # to verify proofs.
    "countersign-api": {"countersign-domain", "countersign-inbound", "countersign-proof"},
    "countersign-inbound": {"countersign-domain"},
    # Fetches certificates and confirms subscriptions for `inbound/sns`.
    "countersign-webhook": {"countersign-domain", "countersign-inbound"},
    # Calls providers with the guarded client.
    "countersign-carrier": {"countersign-domain", "countersign-webhook"},
    "countersign-system": {"countersign-domain"},
    "countersign-sealing": {"countersign-domain"},
    "countersign-proof": {"countersign-domain"},
    "countersign-sdk": {
        "countersign-domain",
        "countersign-sealing",
        "countersign-proof",
        # Behind the feature `files`: stores in files that only their owner can read.
        "countersign-system",
    },
    # Published: it depends on no crate of ours, and has its own proofs and seals (ADR 144).
    "countersign-client": set(),
    # The core as a native library.
    "countersign-sdk-ffi": {"countersign-sdk"},
    "countersign-aws": {
        "countersign-domain",
        "countersign-carrier",
        "countersign-api",
        "countersign-inbound",
        "countersign-proof",
        "countersign-webhook",
        "countersign-system",
    },
    "countersign-embedded": {
        "countersign-domain",
        # Files that only their owner can read.
        "countersign-system",
    },
    "countersign": {
        "countersign-domain",
        "countersign-carrier",
        "countersign-api",
        "countersign-inbound",
        "countersign-webhook",
        "countersign-embedded",
        "countersign-system",
        # For the commands that call the public API as an app's server.
        "countersign-client",
        # For the commands that simulate a phone, act as an app's server, or verify proofs.
        "countersign-sdk",
        "countersign-sealing",
        "countersign-proof",
        # Behind the feature `aws`: administration of a deployed table.
        "countersign-aws",
    },
    # Only `main` functions.
    "countersign-functions": {"countersign-api", "countersign-aws"},
    "countersign-conformance": {"countersign-domain"},
    "countersign-emulators": set(),
    "countersign-functions-bench": None,
    "countersign-fuzz-targets": None,
    "countersign-simulation": {
        "countersign-domain",
        "countersign-conformance",
        "countersign-proof",
    },
    "countersign-e2e": None,
    "countersign-interop": None,
    "countersign-load": None,
    "countersign-receivers-tests": None,
    "countersign-report": set(),
}
# Third-party crates that must not be dependencies. The domain, for example, has no runtime and no I/O.
FOREIGN = {
    "countersign-domain": ("tokio", "axum", "hyper", "http", "reqwest", "rusqlite", "getrandom", "rand"),
    "countersign-api": ("reqwest", "rusqlite", "getrandom"),
    "countersign-inbound": ("tokio", "axum", "reqwest", "rusqlite", "getrandom"),
    "countersign-sdk": ("tokio", "axum", "hyper", "http", "reqwest", "rusqlite", "getrandom", "rand"),
}
# Crates that may use the AWS SDK: the adapters, and the command for a deployed table.
KNOW_AWS = ("countersign-aws", "countersign")
INHERITED = ("version", "edition", "rust-version", "license", "publish")
# Of what crates.io requires and readers look for. Other crates are only for this repository.
PUBLISHED = {"countersign-client": ("description", "repository", "readme", "keywords", "categories", "include")}
TABLES = ("dependencies", "dev-dependencies", "build-dependencies")


def dependency_tables(manifest):
    """Yields each table of dependencies with its kind, including those for one platform."""
    for scope in (manifest, *manifest.get("target", {}).values()):
        for kind in TABLES:
            yield kind, scope.get(kind, {})


def of_member(place, manifest):
    """Yields what is wrong with the manifest of one crate."""
    package = manifest.get("package", {})
    name = package.get("name", "?")
    if manifest.get("lints", {}) != {"workspace": True}:
        yield f"{place}: `[lints]` is not exactly `workspace = true`"
    for field in INHERITED:
        if field == "publish" and name in PUBLISHED:
            if package.get(field) is not True:
                yield f"{place}: {name} cannot be published"
        elif package.get(field) != {"workspace": True}:
            yield f"{place}: `{field}` is not inherited from the workspace"
    for field in PUBLISHED.get(name, ()):
        if not package.get(field):
            yield f"{place}: {name} has no `{field}`"
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
                    yield f"{place}: {name} must not depend on {dependency}"
            if dependency in FOREIGN.get(name, ()):
                yield f"{place}: {name} must not depend on {dependency}"
            if dependency.startswith("aws-") and name not in KNOW_AWS:
                yield f"{place}: {name} must not depend on {dependency}"


def findings(root):
    """Returns a line for each rule that a manifest breaks."""
    workspace = tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    members = {pattern.rstrip("/") for pattern in workspace["members"]}
    found = []
    for path in tree.files(root, "Cargo.toml"):
        directory = path.parent.relative_to(root).as_posix()
        if directory == ".":
            continue
        place = path.relative_to(root).as_posix()
        if directory in OUTSIDE:
            continue
        if directory not in members:
            found.append(f"{place}: is not a member of the workspace")
            continue
        found += of_member(place, tomllib.loads(path.read_text(encoding="utf-8")))
    return found


if __name__ == "__main__":
    tree.finish(findings(tree.ROOT))
