"""Checks that the released command unwinds on a panic, so that one request cannot end the server.
Functions abort, have no unwinding tables, and are built without link-time optimisation.

`cargo install` builds the profile `release`.
"""

import tomllib

import tree

# Profiles of the command, built from the root or by `cargo install --path cli`.
UNWIND = ("release", "local")
CONFIGS = (".cargo/config.toml", ".cargo/config", "cli/.cargo/config.toml", "cli/.cargo/config")
FUNCTIONS = "functions/.cargo/config.toml"
NO_TABLES = "force-unwind-tables=no"


def panic_of(profiles, name):
    """Returns the `panic` setting of a profile: its own, else the one that it inherits."""
    profile = profiles.get(name, {})
    if "panic" in profile:
        return profile["panic"]
    return panic_of(profiles, profile["inherits"]) if "inherits" in profile else "unwind"


def settings_of(path):
    """Returns what a manifest or configuration file of cargo sets."""
    if not path.is_file():
        return {}
    return tomllib.loads(path.read_text(encoding="utf-8"))


def profiles_of(path):
    """Returns the profiles in a manifest or configuration file of cargo."""
    return settings_of(path).get("profile", {})


def findings(root):
    """Returns a line for each profile with the wrong `panic` setting."""
    found = []
    for name in UNWIND:
        if panic_of(profiles_of(root / "Cargo.toml"), name) != "unwind":
            found.append(f"Cargo.toml: profile `{name}` aborts on a panic, which would end the server")
    for config in CONFIGS:
        for name, profile in profiles_of(root / config).items():
            if "panic" in profile:
                found.append(f"{config}: sets `panic` for profile `{name}`")
    functions = settings_of(root / FUNCTIONS)
    release = functions.get("profile", {}).get("release", {})
    if release.get("panic") != "abort":
        found.append(f"{FUNCTIONS}: profile `release` does not abort on a panic")
    if release.get("lto") != "off":
        found.append(f"{FUNCTIONS}: profile `release` compiles everything again for each function")
    if NO_TABLES not in functions.get("build", {}).get("rustflags", []):
        found.append(f"{FUNCTIONS}: functions have unwinding tables, which are never read")
    return found


if __name__ == "__main__":
    tree.finish(findings(tree.ROOT))
