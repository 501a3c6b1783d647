# Checks that docs/openapi.json matches the code. Also shows that the command compiles by itself, without
# features that only the tests of other crates turn on.
cargo check --locked -p countersign
# Built with the features of `make test`, which shares what is compiled.
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
cargo run --quiet --locked --features countersign/aws --bin countersign -- openapi >"$printed"
if ! diff -u docs/openapi.json "$printed" | head -n 40; then
    echo "docs/openapi.json is stale: run make openapi, and review the changes"
    exit 1
fi
