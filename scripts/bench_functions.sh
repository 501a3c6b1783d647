#!/usr/bin/env bash
# Builds the functions as for Lambda, the bare interface and rivals, and measures them on loopback. A rival that cannot be
# built is skipped by name.
. "$(dirname "$0")/common.sh"

rivals=$root/tests/functions-bench/rivals
built=$tools/bench-functions
mkdir -p "$built"

# lacks VARIABLE WHAT: says why a rival is not measured.
lacks() { export "$1_MISSING=$2"; }

build_stock() {
    phase "build: stock SDK"
    if quietly bench-stock.log env CARGO_TARGET_DIR="$built/stock" \
        cargo build --release --locked --manifest-path "$rivals/stock/Cargo.toml"; then
        export BENCH_STOCK=$built/stock/release/countersign-bench-stock
    else
        lacks BENCH_STOCK "its build fails, see .tools/log/bench-stock.log"
    fi
}

build_go() {
    phase "build: Go"
    if ! command -v go >/dev/null; then
        lacks BENCH_GO "no go"
    elif quietly bench-go.log env -C "$rivals/go" CGO_ENABLED=0 \
        go build -trimpath -tags lambda.norpc -ldflags "-s -w" -o "$built/go" .; then
        export BENCH_GO=$built/go
    else
        lacks BENCH_GO "its build fails, see .tools/log/bench-go.log"
    fi
}

bundle_node() {
    rm -rf "$built/node" && mkdir "$built/node" &&
        cp "$rivals"/node/*.json "$rivals"/node/*.mjs "$built/node" && cd "$built/node" &&
        npm ci --no-audit --no-fund &&
        npx esbuild runtime.mjs --bundle --minify --platform=node --target=node20 --format=esm \
            --main-fields=module,main --outfile=bundle.mjs \
            --banner:js='import { createRequire } from "node:module"; const require = createRequire(import.meta.url);'
}

build_node() {
    phase "build: Node.js"
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        lacks BENCH_NODE "no node with npm"
        return
    fi
    if (quietly bench-node.log bundle_node); then
        export BENCH_NODE=$built/node/bundle.mjs
        BENCH_NODE_INTERPRETER=$(command -v node)
        export BENCH_NODE_INTERPRETER
    else
        lacks BENCH_NODE "its bundle fails, see .tools/log/bench-node.log"
    fi
}

install_boto3() {
    python3 -m venv --clear "$built/python" &&
        "$built/python/bin/python" -m pip install --disable-pip-version-check --require-hashes \
            -r "$rivals/python/requirements.txt"
}

build_python() {
    phase "build: Python"
    if ! command -v python3 >/dev/null; then
        lacks BENCH_PYTHON "no python3"
    elif quietly bench-python.log install_boto3; then
        export BENCH_PYTHON=$rivals/python/runtime.py BENCH_PYTHON_INTERPRETER=$built/python/bin/python
    else
        lacks BENCH_PYTHON "boto3 cannot be installed, see .tools/log/bench-python.log"
    fi
}

build_stock
build_go
build_node
build_python
phase "build: functions"
# In this folder, because its .cargo has the settings for Lambda.
(cd functions && cargo build --release --locked -p countersign-functions)
phase "build: benchmark"
# For speed: how functions are built must not change what they are compared with.
cargo build --release --locked -p countersign-functions-bench
programs=$(target_directory)/release
phase ""
exec "$programs/bench-functions" "$programs" "$@"
