# No lint of the workspace fires, in tests neither.
cargo clippy --workspace --all-targets --locked -- -D warnings
