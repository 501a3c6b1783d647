#!/usr/bin/env bash
# Runs all checks, or those named: scripts/check.sh [NAME...]. A failed check does not stop the others.
. "$(dirname "$0")/common.sh"

all="scripts links paths english figures tests members circles gradle versions packages workflows widget console authorize phone libraries kotlin infra fmt clippy doc openapi"

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "make check needs Python 3.11 or later as python3" >&2
    exit 1
fi
export PYTHONDONTWRITEBYTECODE=1

# run NAME: runs a check.
run() {
    if [ -f "scripts/check/$1.sh" ]; then
        bash -euo pipefail "scripts/check/$1.sh"
    elif [ -f "scripts/check/$1.py" ]; then
        python3 "scripts/check/$1.py"
    else
        echo "there is no check called $1" >&2
        return 1
    fi
}

# check NAME...: runs checks, one after the other.
check() {
    local name
    for name; do
        phase "$name"
        run "$name" || echo "$name" >>"$logs/checks-failed"
    done
    phase ""
}

# Checks that do not compile Rust mostly use one core, or wait for downloads. So they run in parallel with those that
# do: in `.ci/run` all of them, and then the set-up of the tests, which follow; elsewhere only the slowest, because
# people want to see the results of the quick ones soon.
beside=()
checks=()
for name in ${@:-$all}; do
    case "${CI_RUN:+ci} $name" in
        "ci fmt" | "ci clippy" | "ci doc" | "ci openapi") checks+=("$name") ;;
        ci\ * | *" infra") beside+=("$name") ;;
        *) checks+=("$name") ;;
    esac
done
check_beside() {
    check ${beside[@]+"${beside[@]}"}
    if [ -n "${CI_RUN:-}" ]; then
        COUNTERSIGN_SET_UP_ONLY=1 scripts/test.sh || echo "set-up" >>"$logs/checks-failed"
    fi
}
: >"$logs/checks-failed"
# Before both need it, so that rustup installs it only once.
cargo --version >/dev/null
check_beside >"$logs/checks-beside.log" 2>&1 &
other=$!
check ${checks[@]+"${checks[@]}"}
phase "the checks beside"
wait "$other" || echo "beside" >>"$logs/checks-failed"
cat "$logs/checks-beside.log"
phase ""

failed=$(sort -u "$logs/checks-failed" | tr '\n' ' ')
if [ -n "$failed" ]; then
    echo "checks: FAILED: $failed"
    exit 1
fi
echo "checks: ok"
