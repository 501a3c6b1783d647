#!/usr/bin/env bash
# Runs all checks, or those named: scripts/check.sh [NAME...]. A failed check does not stop the others.
. "$(dirname "$0")/common.sh"

all="scripts links tests sizes members circles toolchain decisions profiles gradle dependencies workflows widget kotlin infra fmt clippy doc openapi"
failed=

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "make check needs Python 3.11 or later as python3" >&2
    exit 1
fi
export PYTHONDONTWRITEBYTECODE=1

for name in ${@:-$all}; do
    phase "$name"
    if [ -f "scripts/check/$name.py" ]; then
        python3 "scripts/check/$name.py" || failed="$failed $name"
    elif [ -f "scripts/check/$name.sh" ]; then
        bash -euo pipefail "scripts/check/$name.sh" || failed="$failed $name"
    else
        echo "there is no check called $name" >&2
        failed="$failed $name"
    fi
done
phase ""

if [ -n "$failed" ]; then
    echo "checks: FAILED:$failed"
    exit 1
fi
echo "checks: ok"
