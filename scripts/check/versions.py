"""Checks that everything has the version of Cargo.toml's workspace. `versions.py 1.2.3` writes another one."""

import re
import sys

import tree

SDK = "clients/sdk/kotlin"
NUMBER = r"\d+\.\d+\.\d+"

# Patterns with the version as their second group, and the places where each must match at least once.
PLACES = [
    ("Cargo.toml", rf'(^\[workspace\.package\]\nversion = ")({NUMBER})(")'),
    # The workspace's own crates have no source; other people's crates with our names would.
    ("Cargo.lock", rf'(^name = "countersign[\w-]*"\nversion = ")({NUMBER})("\n(?!source))'),
    ("fuzz/Cargo.lock", rf'(^name = "countersign[\w-]*"\nversion = ")({NUMBER})("\n(?!source))'),
    ("fuzz/Cargo.toml", rf'(^version = ")({NUMBER})(")'),
    ("docs/openapi.json", rf'(^    "version": ")({NUMBER})(")'),
    *[
        (f"{folder}/package.json", rf'(^  "version": ")({NUMBER})(")')
        for folder in ("clients/node", "clients/better-auth", "clients/authenticator", "clients/widget")
    ],
    *[
        (f"{folder}/package-lock.json", rf'(^  "version": "|^    "": \{{\n.*\n      "version": ")({NUMBER})(")')
        for folder in ("clients/node", "clients/better-auth", "clients/authenticator", "clients/widget")
    ],
    ("clients/node/src/version.js", rf"(VERSION = ')({NUMBER})(')"),
    ("clients/better-auth/src/version.ts", rf"(VERSION = ')({NUMBER})(')"),
    ("clients/python/src/countersign/_version.py", rf'(__version__ = ")({NUMBER})(")'),
    ("clients/go/version.go", rf'(Version = ")({NUMBER})(")'),
    (f"{SDK}/gradle.properties", rf"(^version=)({NUMBER})($)"),
    (f"{SDK}/**/pom.xml", rf"(<artifactId>svc-parent</artifactId>\s*<version>)({NUMBER})(<)"),
    # The names of archives, which readers copy.
    ("clients/node/README.md", rf"(countersign-server-)({NUMBER})(\.tgz)"),
    ("clients/better-auth/README.md", rf"(countersign-(?:server|better-auth)-)({NUMBER})(\.tgz)"),
    ("clients/authenticator/README.md", rf"(countersign-authenticator-)({NUMBER})(\.tgz)"),
    ("clients/widget/README.md", rf"(countersign-widget-)({NUMBER})(\.tgz)"),
    ("clients/python/README.md", rf"(countersign_server-)({NUMBER})(-py3)"),
    ("clients/go/README.md", rf"(countersign-go-|@v)({NUMBER})(\.zip|\b)"),
    ("clients/rust/README.md", rf"(countersign-client-)({NUMBER})(\.crate|\n)"),
    (f"{SDK}/docs/android.md", rf"(dev\.countersign:svc-[\w-]+:|countersign-sdk-)({NUMBER})([\"`.])"),
    (f"{SDK}/README.md", rf"(countersign-sdk-|<artifactId>svc-\w+</artifactId>\s*<version>)({NUMBER})(\.zip|<)"),
    # Projects that install our archives.
    *[
        (f"{folder}/package.json", rf"(countersign-server-)({NUMBER})(\.tgz)")
        for folder in ("examples/node", "clients/better-auth")
    ],
    *[
        (f"{folder}/package-lock.json", rf'(countersign-server-|@countersign/server": \{{\n +"version": ")({NUMBER})(\.tgz|")')
        for folder in ("examples/node", "clients/better-auth")
    ],
]

CHANGELOGS = ["CHANGELOG.md", *(f"clients/{name}/CHANGELOG.md" for name in ("authenticator", "better-auth", "go", "node", "python", "rust", "sdk", "widget"))]


def paths(root, pattern):
    """Returns the files of a pattern, without the output of builds."""
    return [path for path in sorted(root.glob(pattern)) if "target" not in path.relative_to(root).parts]


def workspace_version(root):
    """Returns the version that everything must have."""
    return re.search(PLACES[0][1], (root / "Cargo.toml").read_text(encoding="utf-8"), re.M)[2]


def findings(root):
    """Returns a line for each place with another version, or with none."""
    wanted = workspace_version(root)
    found = []
    for name, pattern in PLACES:
        files = paths(root, name)
        if not files:
            found.append(f"{name}: no such file")
        for path in files:
            text = path.read_text(encoding="utf-8")
            matches = list(re.finditer(pattern, text, re.M))
            if not matches:
                found.append(f"{path.relative_to(root)}: says no version where one is expected")
            for match in matches:
                if match[2] != wanted:
                    line = text.count("\n", 0, match.start(2)) + 1
                    found.append(f"{path.relative_to(root)}:{line}: {match[2]}, but Cargo.toml has {wanted}")
    for name in CHANGELOGS:
        path = root / name
        if not path.is_file() or not re.search(r"^## \[Unreleased\]$", path.read_text(encoding="utf-8"), re.M):
            found.append(f"{name}: has no section `## [Unreleased]`")
    return found


def write(root, version):
    """Writes a version everywhere."""
    for name, pattern in PLACES:
        for path in paths(root, name):
            text = path.read_text(encoding="utf-8")
            path.write_text(re.sub(pattern, rf"\g<1>{version}\g<3>", text, flags=re.M), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        if not re.fullmatch(NUMBER, sys.argv[1]):
            sys.exit(f"{sys.argv[1]} is no version like 1.2.3")
        write(tree.ROOT, sys.argv[1])
    tree.finish(findings(tree.ROOT))
