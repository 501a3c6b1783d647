#!/usr/bin/env bash
# Every test, with the tools it needs. What could not run is named at the end;
# COUNTERSIGN_NO_SKIPS=1 makes that a failure.
. "$(dirname "$0")/common.sh"
. "$root/scripts/setup/python.sh"
. "$root/scripts/setup/browser.sh"
. "$root/scripts/setup/widget.sh"
. "$root/scripts/setup/aws.sh"
. "$root/scripts/setup/schemathesis.sh"

export COUNTERSIGN_SKIP_LOG=$logs/skipped
: >"$COUNTERSIGN_SKIP_LOG"
cargo_log=$logs/cargo-test.log
sample_log=$logs/sample-test.log
widget_log=$logs/widget-test.log
browser_log=$logs/browser-test.log
deployment_log=$logs/deployment-test.log
openapi_log=$logs/openapi-test.log
: >"$cargo_log"
: >"$sample_log"
: >"$widget_log"
: >"$browser_log"
: >"$deployment_log"
: >"$openapi_log"
failed=
sample_tests=

phase "set up tools"
setup_python
setup_browser
setup_widget "widget tests"
setup_aws_tools
setup_dynamodb_local
setup_schemathesis

phase "build the command"
cargo build --locked -p countersign
COUNTERSIGN_BIN=$(target_directory)/debug/countersign
export COUNTERSIGN_BIN

phase "cargo test"
# With what a deployment's operator needs of the command.
if ! cargo test --workspace --features countersign/aws --locked --no-fail-fast 2>&1 | tee "$cargo_log"; then
    failed="$failed cargo"
fi

phase "sample tests"
# Plain Node.js, with nothing installed. The other samples are run by cargo's tests.
if ! command -v node >/dev/null; then
    skip "login sample in node" "node not found"
elif [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" != true ]; then
    skip "login sample in node" "node $(node --version) is older than 20"
else
    sample_tests=ready
    if ! node --test --test-reporter=spec tests/receivers/*.test.mjs 2>&1 | tee "$sample_log"; then
        failed="$failed sample"
    fi
fi

phase "widget tests"
if [ -n "$widget_tools" ]; then
    if ! (cd clients/widget && npm run --silent test -- --test-reporter=spec) 2>&1 |
        tee "$widget_log"; then
        failed="$failed widget"
    fi
fi

phase "browser tests"
if [ -n "$browser_tests" ]; then
    if ! ls tests/browser/*.test.mjs >/dev/null 2>&1; then
        skip "browser tests" "there is no tests/browser/*.test.mjs"
    elif ! node --test --test-reporter=spec tests/browser/*.test.mjs 2>&1 | tee "$browser_log"; then
        failed="$failed browser"
    fi
fi

phase "the description against the server"
if [ -n "${COUNTERSIGN_SCHEMATHESIS:-}" ]; then
    if ! "$COUNTERSIGN_SCHEMATHESIS/bin/python" -m pytest \
        -p no:cacheprovider --durations=4 tests/openapi 2>&1 | tee "$openapi_log"; then
        failed="$failed openapi"
    fi
fi

phase "deployment tests"
if [ -n "${COUNTERSIGN_AWS_TOOLS:-}" ]; then
    if [ "$(uname -s)" != Linux ]; then
        skip "deployment tests" "functions are built for Linux, and this is $(uname -s)"
    elif ! "$COUNTERSIGN_AWS_TOOLS/bin/python" -m pytest \
        -p no:cacheprovider --durations=8 tests/deployment 2>&1 | tee "$deployment_log"; then
        failed="$failed deployment"
    fi
fi
phase ""

# count LOG PATTERN FIELD: the sum of a field over the lines that match.
count() { awk -v pattern="$2" -v field="$3" '$0 ~ pattern { n += $field } END { print n + 0 }' "$1"; }

# cargo: "test result: ok. 12 passed; 0 failed; ..."; node: "# pass 12", in some versions with an i.
cargo_passed=$(count "$cargo_log" '^test result: ' 4)
cargo_failed=$(count "$cargo_log" '^test result: ' 6)
node_passed() { count "$1" '^(#|ℹ) pass [0-9]+$' 3; }
node_failed() { count "$1" '^(#|ℹ) (fail|cancelled) [0-9]+$' 3; }
sample_passed=$(node_passed "$sample_log")
sample_failed=$(node_failed "$sample_log")
widget_passed=$(node_passed "$widget_log")
widget_failed=$(node_failed "$widget_log")
browser_passed=$(node_passed "$browser_log")
browser_failed=$(node_failed "$browser_log")
# pytest: "=== 2 failed, 40 passed, 1 error in 93.10s ===".
pytest_count() {
    awk -v what="^$2s?,?$" '/^=+ .* in [0-9.]+s/ {
        for (i = 2; i <= NF; i++) if ($i ~ what) n += $(i - 1)
    } END { print n + 0 }' "$1"
}
deployment_passed=$(pytest_count "$deployment_log" passed)
deployment_failed=$(($(pytest_count "$deployment_log" failed) + $(pytest_count "$deployment_log" error)))
openapi_passed=$(pytest_count "$openapi_log" passed)
openapi_failed=$(($(pytest_count "$openapi_log" failed) + $(pytest_count "$openapi_log" error)))
skipped=$(wc -l <"$COUNTERSIGN_SKIP_LOG" | tr -d ' ')

if [ "$cargo_passed" -eq 0 ]; then
    failed="$failed cargo-ran-no-test"
fi
if [ "$sample_tests" = ready ] && [ "$sample_passed" -eq 0 ]; then
    failed="$failed sample-ran-no-test"
fi
if [ "$widget_tools" = ready ] && [ "$widget_passed" -eq 0 ]; then
    failed="$failed widget-ran-no-test"
fi
if [ "$browser_tests" = ready ] && [ "$browser_passed" -eq 0 ] && [ -s "$browser_log" ]; then
    failed="$failed browser-ran-no-test"
fi

if [ -s "$deployment_log" ] && [ "$deployment_passed" -eq 0 ]; then
    failed="$failed deployment-ran-no-test"
fi

if [ -s "$openapi_log" ] && [ "$openapi_passed" -eq 0 ]; then
    failed="$failed openapi-ran-no-test"
fi

if [ "$skipped" -gt 0 ]; then
    printf '\n!!!!! NOT EVERYTHING RAN. Skipped, by name:\n'
    sed 's/^/!!!!! /' "$COUNTERSIGN_SKIP_LOG"
    if [ -n "${COUNTERSIGN_NO_SKIPS:-}" ]; then
        failed="$failed skipped-tests"
    fi
fi

printf '\ntests: %s: %d passed; %d failed; %d skipped (cargo %d/%d, samples %d/%d, widget %d/%d, browser %d/%d, openapi %d/%d, deployment %d/%d)\n' \
    "$([ -z "$failed" ] && echo ok || echo "FAILED ($(echo $failed))")" \
    "$((cargo_passed + sample_passed + widget_passed + browser_passed + openapi_passed + deployment_passed))" \
    "$((cargo_failed + sample_failed + widget_failed + browser_failed + openapi_failed + deployment_failed))" "$skipped" \
    "$cargo_passed" "$((cargo_passed + cargo_failed))" \
    "$sample_passed" "$((sample_passed + sample_failed))" \
    "$widget_passed" "$((widget_passed + widget_failed))" \
    "$browser_passed" "$((browser_passed + browser_failed))" \
    "$openapi_passed" "$((openapi_passed + openapi_failed))" \
    "$deployment_passed" "$((deployment_passed + deployment_failed))" | tee "$logs/summary"
[ -z "$failed" ]
