#!/usr/bin/env bash
# Runs all checks, or those named: scripts/check.sh [NAME...]. A failed check does not stop the others.
. "$(dirname "$0")/common.sh"

all="scripts links paths english figures tests members circles gradle versions packages workflows widget libraries kotlin infra fmt clippy doc openapi"
failed=

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

# Mostly uses one core, so it runs beside the checks after it. In `.ci/run` the tests follow, so what they need
# is fetched meanwhile.
run_infra() {
    local status=0
    run infra || status=1
    if [ -n "${CI_RUN:-}" ]; then
        COUNTERSIGN_SET_UP_ONLY=1 scripts/test.sh || status=1
    fi
    return "$status"
}
infra=
for name in ${@:-$all}; do
    if [ "$name" = infra ]; then
        run_infra >"$logs/infra-output.log" 2>&1 &
        infra=$!
    else
        phase "$name"
        run "$name" || failed="$failed $name"
    fi
done
if [ -n "$infra" ]; then
    phase infra
    wait "$infra" || failed="$failed infra"
    cat "$logs/infra-output.log"
fi
phase ""

if [ -n "$failed" ]; then
    echo "checks: FAILED:$failed"
    exit 1
fi
echo "checks: ok"
