#!/usr/bin/env bash
# Runs suites repeatedly next to two busy loops, and reports how often each test failed: scripts/again.sh N
# [SUITE...]. A test that fails here would sometimes fail by chance elsewhere.
. "$(dirname "$0")/common.sh"

runs=${1:-}
case "$runs" in
    '' | *[!0-9]*)
        echo "usage: scripts/again.sh N [SUITE...], with the suites of scripts/test.sh" >&2
        exit 1
        ;;
esac
shift

busy=()
trap 'kill "${busy[@]}" 2>/dev/null' EXIT
for _ in 1 2; do
    while :; do :; done &
    busy+=($!)
done

found=$logs/again-found
: >"$found"
failures=0
for ((run = 1; run <= runs; run++)); do
    start=$SECONDS
    rm -f "$logs/summary.txt"
    "$root/scripts/test.sh" "$@" >"$logs/again-$run.log" 2>&1 || failures=$((failures + 1))
    printf 'run %d, %d s: %s\n' "$run" "$((SECONDS - start))" \
        "$(tail -n 1 "$logs/summary.txt" 2>/dev/null || echo "no summary, see $logs/again-$run.log")"
    grep -E '^(failed|fault): ' "$logs/summary.txt" >>"$found" 2>/dev/null || true
done

printf '\n%d of %d runs failed\n' "$failures" "$runs"
sort "$found" | uniq -c | sort -rn
[ "$failures" = 0 ]
