#!/usr/bin/env bash
# Runs all test suites, or those named: scripts/test.sh [NAME...]. Fetches the tools that they need. Lists
# tests that could not run at the end; with COUNTERSIGN_NO_SKIPS=1 these are failures.
. "$(dirname "$0")/common.sh"
. "$root/scripts/setup/python.sh"
. "$root/scripts/setup/login_samples.sh"
. "$root/scripts/setup/sms_providers.sh"
. "$root/scripts/setup/browser.sh"
. "$root/scripts/setup/widget.sh"
. "$root/scripts/setup/aws.sh"
. "$root/scripts/setup/schemathesis.sh"
. "$root/scripts/setup/typescript.sh"
. "$root/scripts/setup/kotlin.sh"
. "$root/scripts/setup/counters.sh"

all="cargo widget browser openapi deployment sdk"
wanted=" ${*:-$all} "
for name in $wanted; do
    case " $all " in
        *" $name "*) ;;
        *)
            echo "there is no suite called $name; there are: $all" >&2
            exit 1
            ;;
    esac
done

# wants NAME...: succeeds if one of these suites is to run.
wants() {
    local name
    for name; do
        case "$wanted" in *" $name "*) return 0 ;; esac
    done
    return 1
}

if ! command -v python3 >/dev/null && ! apt_install python3 python3-venv; then
    echo "make test needs Python 3.11 or later as python3" >&2
    exit 1
fi

export COUNTERSIGN_SKIP_LOG=$logs/skipped
: >"$COUNTERSIGN_SKIP_LOG"
results=$root/scripts/results
reports=$tools/reports
rm -rf "$reports"
mkdir -p "$reports"
export PYTHONDONTWRITEBYTECODE=1
# Files, because a suite may run in the background.
: >"$logs/suites"
: >"$logs/failed"

# suite NAME COMMAND...: runs a command of a suite, which must write its report to $reports. The log is only
# for people.
suite() {
    local name=$1
    shift
    echo "$name" >>"$logs/suites"
    if ! "$@" 2>&1 | tee -a "$logs/$name-test.log"; then
        echo "$name" >>"$logs/failed"
    fi
}

# node_reporters NAME: sets `reporters` to the options that make Node.js write a report.
node_reporters() {
    reporters=(--test-reporter=spec --test-reporter-destination=stdout
        --test-reporter=junit --test-reporter-destination="$reports/$1.xml")
}

rm -f "$logs"/*-test.log
phase "set up tools"
if wants cargo browser; then setup_python; fi
if wants cargo; then
    setup_login_samples
    setup_sms_providers
    setup_dynamodb_local
    setup_counters
fi
if wants cargo deployment; then setup_aws_tools; fi
if wants browser sdk; then setup_browser; fi
if wants widget; then setup_widget "widget tests"; fi
# Set by setup_schemathesis below. The caller's environment must not decide whether the suite runs.
unset COUNTERSIGN_SCHEMATHESIS
if wants openapi; then
    setup_schemathesis
    setup_typescript
fi

if wants sdk; then setup_kotlin "tests of the mobile SDK"; fi

# The feature includes the administration of a deployed table.
workspace=(--workspace --features countersign/aws --locked)
COUNTERSIGN_BIN=$(target_directory)/debug/countersign
export COUNTERSIGN_BIN

# `expected.json` lists the executables, each of which must write a report.
build_tests() {
    cargo test "${workspace[@]}" --all-targets --no-run --message-format json-render-diagnostics \
        >"$reports/cargo/expected.json"
}

# The functions compile with what the suites before the deployment tests leave idle. A failure is found there,
# where the same build is made again.
functions_for_deployment() {
    cd tests/deployment || return
    exec nice -n 10 "$COUNTERSIGN_AWS_TOOLS/bin/python" -c 'import deployment; deployment.build()'
}
functions=
build_functions() {
    if wants deployment && [ -n "${COUNTERSIGN_AWS_TOOLS:-}" ] && [ "$(uname -s)" = Linux ]; then
        (functions_for_deployment) >"$logs/functions-build.log" 2>&1 &
        functions=$!
    fi
}

if wants cargo; then
    phase "build the command and the tests"
    mkdir "$reports/cargo"
    suite cargo build_tests
    build_functions

    phase "cargo test"
    runner="[\"python3\", \"$results/libtest.py\", \"$reports/cargo/\"]"
    suite cargo cargo test "${workspace[@]}" --all-targets --no-fail-fast \
        --config "target.'cfg(all())'.runner = $runner"

    phase "documentation tests"
    suite cargo python3 "$results/libtest.py" "$reports/cargo/documentation.xml" \
        cargo test "${workspace[@]}" --doc --no-fail-fast --
elif wants browser openapi deployment sdk; then
    phase "build the command"
    cargo build "${workspace[@]}" --bin countersign
    build_functions
fi

widget_tests() { (cd clients/widget && npm run --silent test -- "${reporters[@]}"); }
if [ -n "${widget_tools:-}" ]; then
    phase "widget tests"
    node_reporters widget
    suite widget widget_tests
fi

if wants browser && [ -n "${browser_tests:-}" ]; then
    phase "browser tests"
    node_reporters browser
    suite browser node --test "${reporters[@]}" tests/browser/*.test.mjs
fi

if [ -n "${COUNTERSIGN_SCHEMATHESIS:-}" ]; then
    phase "OpenAPI tests"
    suite openapi "$COUNTERSIGN_SCHEMATHESIS/bin/python" -m pytest -p no:cacheprovider \
        --durations=4 --junitxml="$reports/openapi.xml" tests/openapi
fi

sdk_bindings() {
    clients/sdk/kotlin/bindings.sh --locked &&
        python3 "$results/libtest.py" "$reports/sdk/swift.xml" \
            cargo test -p countersign-sdk-ffi --features bindgen --test swift --locked --
}
sdk_tests() {
    local status=0 report module
    rm -rf clients/sdk/kotlin/*/target/surefire-reports
    mvn -B -q -f clients/sdk/kotlin/pom.xml test -pl "$kotlin_modules" --fail-at-end \
        -Dcountersign.bin="$COUNTERSIGN_BIN" -Dnative.library.path="$(dirname "$COUNTERSIGN_BIN")" \
        -Dandroid.jars="$tools/android" || status=1
    for report in clients/sdk/kotlin/*/target/surefire-reports/TEST-*.xml; do
        module=${report#clients/sdk/kotlin/}
        cp "$report" "$reports/sdk/${module%%/*}-${report##*/}" || status=1
    done
    return "$status"
}
sdk_quick_start() { node --test "${reporters[@]}" tests/sdk/*.test.mjs; }
run_sdk() {
    suite sdk sdk_bindings
    suite sdk sdk_tests
    if [ -n "${browser_tests:-}" ]; then
        node_reporters sdk/quick-start
        suite sdk sdk_quick_start
    fi
}
# These run beside the deployment tests, which mostly wait.
sdk=
if [ -n "${kotlin_tools:-}" ]; then
    mkdir "$reports/sdk"
    run_sdk >"$logs/sdk-output.log" 2>&1 &
    sdk=$!
fi

if wants deployment && [ -n "${COUNTERSIGN_AWS_TOOLS:-}" ]; then
    phase "deployment tests"
    if [ "$(uname -s)" != Linux ]; then
        skip "deployment tests" "functions are built for Linux, and this is $(uname -s)"
    else
        wait "$functions" || true
        suite deployment "$COUNTERSIGN_AWS_TOOLS/bin/python" -m pytest -p no:cacheprovider \
            --durations=8 --junitxml="$reports/deployment.xml" tests/deployment
    fi
fi
if [ -n "$sdk" ]; then
    phase "mobile SDK tests"
    wait "$sdk" || echo sdk >>"$logs/failed"
    cat "$logs/sdk-output.log"
fi
phase ""

status=0
python3 "$results/summary.py" "$reports" "$COUNTERSIGN_SKIP_LOG" \
    "$(awk '!seen[$0]++' "$logs/suites")" "$(sort -u "$logs/failed")" \
    >"$logs/summary.txt" || status=$?
cat "$logs/summary.txt"
# `.ci/run` prints the last line.
tail -n 1 "$logs/summary.txt" >"$logs/summary"
exit "$status"
