# Checks that docs/openapi.json matches the code, that docs/reference.html matches it and docs/problems.md,
# and that infra/rules/program.json contains the code's names of counters and providers.
. "$(dirname "$0")/../common.sh"
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
build_programs
"$COUNTERSIGN_BIN" openapi >"$printed"
if ! diff -u docs/openapi.json "$printed" | head -n 40; then
    echo "docs/openapi.json is stale: run make openapi, and review the changes"
    exit 1
fi
scripts/reference.sh --check
python3 infra/rules/program.py
