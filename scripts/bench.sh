#!/usr/bin/env bash
# Measures the command as it is deployed: the release profile, on loopback.
. "$(dirname "$0")/common.sh"

cargo build --release --locked -p countersign
COUNTERSIGN_BIN=$(target_directory)/release/countersign
export COUNTERSIGN_BIN
exec cargo run --release --locked -p countersign-load -- "$@"
