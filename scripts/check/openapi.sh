# Checks that docs/openapi.json matches the code. Also shows that the command builds by itself, without
# features that only the tests of other crates turn on.
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
cargo build --locked -p countersign
cargo run --quiet --locked -p countersign -- openapi >"$printed"
if ! diff -u docs/openapi.json "$printed" | head -n 40; then
    echo "docs/openapi.json is stale: run make openapi, and review the changes"
    exit 1
fi
