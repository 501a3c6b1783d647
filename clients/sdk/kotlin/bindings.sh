#!/usr/bin/env bash
# Builds the native library and generates its Kotlin bindings into svc-core/generated. Options go to cargo,
# such as `--locked`. With `--built DIR`, nothing is built: DIR is the folder in which cargo has put the
# programs.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
if [ "${1:-}" = --built ]; then
    built=$2
else
    cargo build -p countersign-sdk-ffi --features bindgen "$@"
    built=$(cargo metadata --no-deps --format-version 1 "$@" |
        sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')/debug
fi
library=$built/deps/libcountersign_sdk_ffi.so
[ "$(uname -s)" = Darwin ] && library=$built/deps/libcountersign_sdk_ffi.dylib
# Unchanged generated files keep their times, so that Maven only compiles what changed.
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
"$built/uniffi-bindgen" generate "$library" --config clients/sdk/ffi/uniffi.toml --language kotlin \
    --no-format --out-dir "$new"
if ! diff -rq "$new" "$here/svc-core/generated" >/dev/null 2>&1; then
    rm -rf "$here/svc-core/generated"
    cp -R "$new" "$here/svc-core/generated"
fi
