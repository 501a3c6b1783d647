#!/usr/bin/env bash
# Measures the command as it is given out: the `dist` profile, on loopback.
. "$(dirname "$0")/common.sh"

cargo build --profile dist --locked -p countersign -p countersign-load
built=$(target_directory)/dist
exec "$built/countersign-load" "$built/countersign" "$@"
