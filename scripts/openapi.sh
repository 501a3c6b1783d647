#!/usr/bin/env bash
# Generates docs/openapi.json from the code and docs/reference.html from that, and the names in
# infra/rules/program.json.
. "$(dirname "$0")/common.sh"

new=$(mktemp)
trap 'rm -f "$new"' EXIT
cargo run --quiet --locked -p countersign -- openapi >"$new"
cat "$new" >docs/openapi.json
echo "wrote docs/openapi.json"
scripts/reference.sh
COUNTERSIGN_BIN=$(target_directory)/debug/countersign python3 infra/rules/program.py --write
