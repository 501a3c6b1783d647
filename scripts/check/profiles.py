"""What is given out unwinds at a panic, so that one request cannot end the server; functions abort.

`cargo install` builds `release`, as everybody does who is told nothing else.
"""

import tomllib

import tree

# Built from the root, or by `cargo install --path cli`.
UNWIND = ("release", "local")
CONFIGS = (".cargo/config.toml", ".cargo/config", "cli/.cargo/config.toml", "cli/.cargo/config")
FUNCTIONS = "functions/.cargo/config.toml"


def panic_of(profiles, name):
    """What a profile does at a panic, its own words first, then those it inherits."""
    profile = profiles.get(name, {})
    if "panic" in profile:
        return profile["panic"]
    return panic_of(profiles, profile["inherits"]) if "inherits" in profile else "unwind"


def profiles_of(path):
    """The profiles that a file of cargo's sets."""
    if not path.is_file():
        return {}
    return tomllib.loads(path.read_text(encoding="utf-8")).get("profile", {})


def findings(root):
    """One line for each profile that does the other thing at a panic."""
    found = []
    for name in UNWIND:
        if panic_of(profiles_of(root / "Cargo.toml"), name) != "unwind":
            found.append(f"Cargo.toml: profile `{name}` aborts at a panic; the server has to go on")
    for config in CONFIGS:
        for name, profile in profiles_of(root / config).items():
            if "panic" in profile:
                found.append(f"{config}: sets what profile `{name}` does at a panic")
    if panic_of(profiles_of(root / FUNCTIONS), "release") != "abort":
        found.append(f"{FUNCTIONS}: profile `release` does not abort at a panic")
    return found


if __name__ == "__main__":
    tree.finish(findings(tree.ROOT))
