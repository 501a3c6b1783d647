#!/usr/bin/env bash
# Builds the functions as for Lambda, the bare interface, and a function that uses the AWS SDK with its defaults, and
# measures them on loopback.
. "$(dirname "$0")/common.sh"

phase "build: functions"
# In this folder, because its .cargo has the settings for Lambda.
(cd functions && cargo build --release --locked -p countersign-functions)
phase "build: benchmark"
# Optimized for speed: the functions' build settings must not change what they are compared with.
cargo build --release --locked -p countersign-functions-bench
programs=$(target_directory)/release
phase "build: AWS SDK as it comes"
stock=$tools/bench-functions/stock
cargo build --release --locked --manifest-path benches/functions/stock/Cargo.toml --target-dir "$stock"
cp "$stock/release/countersign-bench-stock" "$programs/stock"
phase ""
exec "$programs/bench-functions" "$programs" "$@"
