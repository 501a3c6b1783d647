# Paths and functions for the scripts in this folder, which source this file. Compatible with bash 3.2, which
# macOS ships.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=$root/.tools
logs=$tools/log
cd "$root"
mkdir -p "$logs"

# phase NAME: starts a phase, and prints how long the previous one took.
phase_name=
phase() {
    if [ -n "$phase_name" ]; then
        printf '<== %s: %d s\n' "$phase_name" "$((SECONDS - phase_start))"
    fi
    phase_name=$1
    phase_start=$SECONDS
    if [ -n "$phase_name" ]; then
        printf '==> %s\n' "$phase_name"
    fi
}

# skip NAME REASON: reports a skipped test, as defined in CONTRIBUTING.md.
skip() {
    printf 'SKIPPED: %s: %s\n' "$1" "$2"
    if [ -n "${COUNTERSIGN_SKIP_LOG:-}" ]; then
        printf 'SKIPPED: %s: %s\n' "$1" "$2" >>"$COUNTERSIGN_SKIP_LOG"
    fi
}

# Prints a hash of its standard input.
hash_stdin() {
    if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1
}

# stamped NAME KEY: succeeds if NAME was last set up for exactly this KEY.
stamped() { [ "$(cat "$tools/stamp/$1" 2>/dev/null)" = "$2" ]; }

# stamp NAME KEY: records that NAME is set up for KEY.
stamp() {
    mkdir -p "$tools/stamp"
    printf '%s\n' "$2" >"$tools/stamp/$1"
}

# quietly LOG COMMAND...: runs a command with its output in a file, and prints the end of the file if the
# command fails.
quietly() {
    local log=$logs/$1
    shift
    if ! "$@" >"$log" 2>&1; then
        printf '%s failed; the end of %s:\n' "$1" "$log"
        tail -n 15 "$log" | sed 's/^/    /'
        return 1
    fi
}

# apt_install PACKAGE...: installs packages, or fails if that would need another user's permissions.
apt_updated=
apt_install() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    echo "installing with apt-get: $*"
    if [ -z "$apt_updated" ]; then
        quietly apt-update.log apt-get update || return 1
        apt_updated=yes
    fi
    quietly apt-install.log env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "$@"
}

# Prints the version of this tree.
workspace_version() { sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml"; }

# Prints cargo's target directory.
target_directory() {
    cargo metadata --locked --no-deps --format-version 1 |
        sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p'
}

# The packages that checks and tests compile. They are the same for all, so that each crate is compiled only
# once: the default members of the workspace, with the administration of a deployed table and the generator of
# the SDK's bindings.
workspace=(--features "countersign/aws countersign-sdk-ffi/bindgen" --locked)

# build_programs [TEST...]: compiles the command, the programs that these test executables run, and sets
# COUNTERSIGN_BIN. `cargo build` would select other features than the tests, and compile most crates again.
build_programs() {
    local test targets=(--test e2e)
    for test; do targets+=(--test "$test"); done
    cargo test "${workspace[@]}" --no-run "${targets[@]}"
    COUNTERSIGN_BIN=$(target_directory)/debug/countersign
    export COUNTERSIGN_BIN
}
