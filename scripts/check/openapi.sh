# docs/openapi.json is what the code says. It also shows that the command builds by itself, with
# no feature that only another crate's tests turn on.
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
cargo build --locked -p countersign
cargo run --quiet --locked -p countersign -- openapi >"$printed"
if ! diff -u docs/openapi.json "$printed" | head -n 40; then
    echo "docs/openapi.json is stale: run make openapi, and look at what changed"
    exit 1
fi
