#!/usr/bin/env bash
# Runs the benchmark against the command built with the `release` profile, on loopback.
. "$(dirname "$0")/common.sh"

cargo build --release --locked -p countersign -p countersign-load
built=$(target_directory)/release
exec "$built/countersign-load" "$built/countersign" "$@"
