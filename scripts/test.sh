#!/usr/bin/env bash
# Runs all test suites, or those named: scripts/test.sh [NAME...]. Fetches the tools that they need. Lists
# tests that could not run at the end; with COUNTERSIGN_NO_SKIPS=1 these are failures. With
# COUNTERSIGN_SET_UP_ONLY=1 it only fetches the tools.
. "$(dirname "$0")/common.sh"
. "$root/scripts/setup/python.sh"
. "$root/scripts/setup/login_samples.sh"
. "$root/scripts/setup/examples.sh"
. "$root/scripts/setup/sms_providers.sh"
. "$root/scripts/setup/phone_numbers.sh"
. "$root/scripts/setup/browser.sh"
. "$root/scripts/setup/widget.sh"
. "$root/scripts/setup/console.sh"
. "$root/scripts/setup/authorize.sh"
. "$root/scripts/setup/phone.sh"
. "$root/scripts/setup/assistants.sh"
. "$root/scripts/setup/libraries.sh"
. "$root/scripts/setup/packages.sh"
. "$root/scripts/setup/aws.sh"
. "$root/scripts/setup/schemathesis.sh"
. "$root/scripts/setup/openid.sh"
. "$root/scripts/setup/typescript.sh"
. "$root/scripts/setup/kotlin.sh"

all="cargo widget console authorize phone assistants libraries packages browser openid openapi deployment sdk"
# Takes minutes and runs weekly: packages, and the programs that install them; Keycloak.
rare="packages-all openid-all"
wanted=" ${*:-$all} "
for name in $wanted; do
    case " $all $rare " in
        *" $name "*) ;;
        *)
            echo "there is no suite called $name; there are: $all $rare" >&2
            exit 1
            ;;
    esac
done

# wants NAME...: succeeds if one of these suites should run.
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
: >"$logs/times"
: >"$logs/failed"

# suite NAME COMMAND...: runs a suite's command, which must write its report to $reports. The log is only for
# people.
suite() {
    local name=$1
    shift
    local start=$SECONDS
    if ! "$@" 2>&1 | tee -a "$logs/$name-test.log"; then
        echo "$name" >>"$logs/failed"
    fi
    echo "$name $((SECONDS - start))" >>"$logs/times"
}

# node_reporters NAME: sets `reporters` to the options that make Node.js write a report.
node_reporters() {
    reporters=(--test-reporter=spec --test-reporter-destination=stdout
        --test-reporter=junit --test-reporter-destination="$reports/$1.xml")
}

rm -f "$logs"/*-test.log
phase "set up tools"
if wants cargo browser; then
    setup_python
    setup_login_samples
fi
if wants cargo; then
    setup_sms_providers
    setup_phone_numbers
    setup_dynamodb_local
fi
if wants cargo deployment; then setup_aws_tools; fi
if wants browser sdk openid openid-all packages-all; then setup_browser; fi
if wants browser; then
    setup_other_browsers
    setup_examples
fi
if wants widget; then setup_widget "widget tests"; fi
if wants console; then setup_console "tests of the console's page"; fi
if wants authorize; then setup_authorize "tests of the OpenID provider's page"; fi
if wants phone; then setup_phone "tests of the web authenticator's pages"; fi
if wants assistants; then setup_assistants "tests with the libraries of assistants"; fi
if wants libraries; then
    setup_node_library "tests of the Node library"
    setup_better_auth "tests of the plugin for Better Auth"
    setup_authenticator "tests of the phone in JavaScript"
    setup_python_library
    setup_go_library "tests of the Go library"
fi
openid_tests=()
if [ "${browser_tests:-}" = ready ]; then
    if wants openid-all; then
        setup_openid everything
    elif wants openid; then
        setup_openid
    fi
fi
if wants packages-all; then
    setup_packages everything
elif wants packages; then
    setup_packages
fi
# Set by setup_schemathesis below. The caller's environment must not determine whether the suite runs.
unset COUNTERSIGN_SCHEMATHESIS
if wants openapi; then
    setup_schemathesis
    setup_typescript
fi

if wants sdk; then setup_kotlin "tests of the mobile SDK"; fi

if [ -n "${COUNTERSIGN_SET_UP_ONLY:-}" ]; then
    phase ""
    exit
fi

# --- build ------------------------------------------------------------------------------------------

# Each of these executables must write a report.
build_tests() {
    cargo test "${workspace[@]}" --tests --no-run --message-format json-render-diagnostics >"$reports/cargo/expected.json"
}
if wants cargo; then
    phase "build the tests"
    mkdir "$reports/cargo"
    build_tests || echo cargo >>"$logs/failed"
fi
if wants cargo assistants libraries browser openid openid-all openapi deployment sdk; then
    phase "build the programs"
    programs=()
    if wants deployment; then programs+=(start); fi
    if wants sdk; then programs+=(swift); fi
    build_programs ${programs[@]+"${programs[@]}"}
fi

# --- suites -----------------------------------------------------------------------------------------

run_cargo() {
    # Twice the number of cores of a small machine, because many tests wait.
    export RUST_TEST_THREADS=${RUST_TEST_THREADS:-4}
    local runner="[\"python3\", \"$results/libtest.py\", \"$reports/cargo/\"]"
    suite cargo cargo test "${workspace[@]}" --tests --no-fail-fast \
        --config "target.'cfg(all())'.runner = $runner"
    suite cargo python3 "$results/libtest.py" "$reports/cargo/documentation.xml" \
        cargo test "${workspace[@]}" --doc --no-fail-fast --
}

widget() { (cd clients/widget && npm run --silent test -- "${reporters[@]}"); }
run_widget() {
    node_reporters widget
    suite widget widget
}

console() { (cd clients/console && npm run --silent test -- "${reporters[@]}"); }
run_console() {
    node_reporters console
    suite console console
}

authorize() { (cd clients/authorize && npm run --silent test -- "${reporters[@]}"); }
run_authorize() {
    node_reporters authorize
    suite authorize authorize
}

phone() { (cd clients/phone && npm run --silent test -- "${reporters[@]}"); }
run_phone() {
    node_reporters phone
    suite phone phone
}

run_assistants() {
    node_reporters assistants
    suite assistants node --test "${reporters[@]}" tests/assistants/*.test.mjs
}

node_library() { (cd clients/node && npm run --silent test -- "${reporters[@]}"); }
authenticator() { (cd clients/authenticator && npm run --silent test -- "${reporters[@]}"); }
better_auth() { (cd clients/better-auth && npm run --silent test -- "${reporters[@]}"); }
python_library() {
    (cd clients/python && "$COUNTERSIGN_PYTHON_LIBRARY" -m pytest -q -p no:cacheprovider \
        --junitxml="$reports/libraries/python.xml")
}
# go_library MODULE: go itself writes no report, and would not notice a changed server.
go_library() {
    local report=$reports/libraries/go-${1//\//-}.xml
    (cd "clients/go/$1" && go run gotest.tools/gotestsum@v1.13.0 --junitfile "$report" --format pkgname -- -count=1 ./...)
}
run_libraries() {
    local module
    mkdir "$reports/libraries"
    if [ -n "$node_library" ]; then
        node_reporters libraries/node
        suite libraries node_library
    fi
    if [ -n "$authenticator" ]; then
        node_reporters libraries/authenticator
        suite libraries authenticator
    fi
    if [ -n "$better_auth" ]; then
        node_reporters libraries/better-auth
        suite libraries better_auth
    fi
    if [ -n "${COUNTERSIGN_PYTHON_LIBRARY:-}" ]; then suite libraries python_library; fi
    if [ -n "$go_library" ]; then
        for module in "${go_modules[@]}"; do suite libraries go_library "$module"; done
    fi
}

# Weekly, one file after the other, because two of them pack the same archives.
run_packages() {
    node_reporters packages
    suite packages node --test --test-concurrency="${COUNTERSIGN_ALL_PACKAGES:-2}" "${reporters[@]}" "${package_tests[@]}"
}

run_browser() {
    node_reporters browser
    # One more than the number of cores of a small machine, because tests also wait. The default would be one
    # less.
    suite browser node --test --test-concurrency=3 "${reporters[@]}" tests/browser/*.test.mjs
}

run_openid() {
    node_reporters openid
    suite openid node --test --test-concurrency=2 "${reporters[@]}" "${openid_tests[@]}"
}

run_openapi() {
    suite openapi "$COUNTERSIGN_SCHEMATHESIS/bin/python" -m pytest -p no:cacheprovider \
        --durations=4 --junitxml="$reports/openapi.xml" tests/openapi
}

run_deployment() {
    suite deployment "$COUNTERSIGN_AWS_TOOLS/bin/python" -m pytest -p no:cacheprovider \
        --durations=8 --junitxml="$reports/deployment.xml" tests/deployment
}

kotlin() {
    local status=0 report module
    rm -rf clients/sdk/kotlin/*/target/surefire-reports
    mvn -B -q -f clients/sdk/kotlin/pom.xml test -pl "$kotlin_modules" --fail-at-end \
        -Dcountersign.bin="$COUNTERSIGN_BIN" -Dnative.library.path="$(dirname "$COUNTERSIGN_BIN")/deps" \
        -Dandroid.jars="$tools/android" || status=1
    for report in clients/sdk/kotlin/*/target/surefire-reports/TEST-*.xml; do
        module=${report#clients/sdk/kotlin/}
        cp "$report" "$reports/sdk/${module%%/*}-${report##*/}" || status=1
    done
    return "$status"
}
sdk_packages() {
    COUNTERSIGN_SDK_COMPILED=1 COUNTERSIGN_SDK_BUILT=$(dirname "$COUNTERSIGN_BIN") \
        node --test "${reporters[@]}" tests/packages/sdk.test.mjs
}
quick_start() { node --test "${reporters[@]}" tests/sdk/*.test.mjs; }
run_sdk() {
    mkdir "$reports/sdk"
    # Short-lived JVMs spend much of their time in the optimizing compiler and in parallel collectors.
    export JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    suite sdk clients/sdk/kotlin/bindings.sh --built "$(dirname "$COUNTERSIGN_BIN")"
    suite sdk kotlin
    if [ "$kotlin_modules" != svc-core ] && command -v node >/dev/null; then
        node_reporters sdk/packages
        suite sdk sdk_packages
    fi
    if [ -n "${browser_tests:-}" ]; then
        node_reporters sdk/quick-start
        suite sdk quick_start
    fi
}

# --- two lanes, since many tests wait for a browser, an emulator or a JVM ---------------------------------

lane=()
if [ -n "${kotlin_tools:-}" ]; then lane+=(run_sdk); fi
if wants deployment && [ "$(uname -s)" != Linux ]; then
    skip "deployment tests" "functions are built for Linux, and this is $(uname -s)"
elif wants deployment && [ -n "${COUNTERSIGN_AWS_TOOLS:-}" ]; then
    lane+=(run_deployment)
fi
(for run in ${lane[@]+"${lane[@]}"}; do "$run"; done) >"$logs/second-lane.log" 2>&1 &
second=$!

lane=()
if wants cargo; then lane+=(run_cargo); fi
if [ -n "${widget_tools:-}" ]; then lane+=(run_widget); fi
if [ -n "${console_tools:-}" ]; then lane+=(run_console); fi
if [ -n "${authorize_tools:-}" ]; then lane+=(run_authorize); fi
if [ -n "${phone_tools:-}" ]; then lane+=(run_phone); fi
if [ -n "${assistant_tests:-}" ]; then lane+=(run_assistants); fi
if wants libraries; then lane+=(run_libraries); fi
# After the libraries, whose tests also build the packed files.
if [ -n "${package_tests:-}" ]; then lane+=(run_packages); fi
if [ -n "${COUNTERSIGN_SCHEMATHESIS:-}" ]; then lane+=(run_openapi); fi
if wants browser && [ -n "${browser_tests:-}" ]; then lane+=(run_browser); fi
if [ "${#openid_tests[@]}" -gt 0 ]; then lane+=(run_openid); fi
for run in ${lane[@]+"${lane[@]}"}; do
    phase "${run#run_}"
    "$run"
done
phase "the other lane"
wait "$second" || echo second-lane >>"$logs/failed"
cat "$logs/second-lane.log"
phase ""

status=0
python3 "$results/summary.py" "$reports" "$COUNTERSIGN_SKIP_LOG" \
    "$(cat "$logs/times")" "$(sort -u "$logs/failed")" \
    >"$logs/summary.txt" || status=$?
cat "$logs/summary.txt"
# `.ci/run` prints the last line.
tail -n 1 "$logs/summary.txt" >"$logs/summary"
exit "$status"
