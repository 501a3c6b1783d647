#!/usr/bin/env bash
# Writes docs/openapi.json from the code, and docs/reference.html from it.
. "$(dirname "$0")/common.sh"

new=$(mktemp)
trap 'rm -f "$new"' EXIT
cargo run --quiet --locked -p countersign -- openapi >"$new"
cat "$new" >docs/openapi.json
echo "wrote docs/openapi.json"
scripts/reference.sh
