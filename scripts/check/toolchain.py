"""Checks that every file names the version of Rust in rust-toolchain.toml."""

import re
import tomllib

import tree


def findings(root):
    """Returns a line for each place with another version."""
    toolchain = tomllib.loads((root / "rust-toolchain.toml").read_text(encoding="utf-8"))
    version = toolchain["toolchain"]["channel"]
    workspace = tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))
    named = [("Cargo.toml", workspace["workspace"]["package"]["rust-version"])]
    image = (root / "Dockerfile").read_text(encoding="utf-8")
    patterns = r"^FROM rust:([\d.]+)", r"^ENV RUSTUP_TOOLCHAIN=([\d.]+)"
    named += [
        ("Dockerfile", other) for pattern in patterns for other in re.findall(pattern, image, re.M)
    ]
    return [
        f"{path}: Rust {other}; rust-toolchain.toml has {version}"
        for path, other in named
        if version != other and not version.startswith(f"{other}.")
    ]


if __name__ == "__main__":
    tree.finish(findings(tree.ROOT))
