# Sourced by the scripts beside it: where things are, and how to say that something was skipped.
# Kept to what bash 3.2 knows, so that it runs on a Mac as it comes.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=$root/.tools
logs=$tools/log
cd "$root"
mkdir -p "$logs"

# Starts a named phase and says how long the one before it took.
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

# skip NAME REASON: the convention of CONTRIBUTING.md, for scripts.
skip() {
    printf 'SKIPPED: %s: %s\n' "$1" "$2"
    if [ -n "${COUNTERSIGN_SKIP_LOG:-}" ]; then
        printf 'SKIPPED: %s: %s\n' "$1" "$2" >>"$COUNTERSIGN_SKIP_LOG"
    fi
}

# One hash over its standard input.
hash_stdin() {
    if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1
}

# stamped NAME KEY: was NAME last set up for exactly this KEY?
stamped() { [ "$(cat "$tools/stamp/$1" 2>/dev/null)" = "$2" ]; }

# stamp NAME KEY: it is now.
stamp() {
    mkdir -p "$tools/stamp"
    printf '%s\n' "$2" >"$tools/stamp/$1"
}

# quietly LOG COMMAND...: output goes to a file; its end is shown if the command fails.
quietly() {
    local log=$logs/$1
    shift
    if ! "$@" >"$log" 2>&1; then
        printf '%s failed; the end of %s:\n' "$1" "$log"
        tail -n 15 "$log" | sed 's/^/    /'
        return 1
    fi
}

# apt_install PACKAGE...: only where that needs nobody's permission.
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

# Where cargo puts what it builds.
target_directory() {
    cargo metadata --locked --no-deps --format-version 1 |
        sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p'
}
