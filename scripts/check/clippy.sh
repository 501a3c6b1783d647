# Lints everything that `make test` compiles. Where clippy also compiles, as in `.ci/run`, the tests find
# everything built.
. "$(dirname "$0")/../common.sh"
if [ "${RUSTC_WORKSPACE_WRAPPER:-}" = clippy-driver ]; then
    cargo test "${workspace[@]}" --tests --no-run
    cargo test "${workspace[@]}" --benches --examples --no-run
else
    cargo clippy "${workspace[@]}" --all-targets -- -D warnings
fi
