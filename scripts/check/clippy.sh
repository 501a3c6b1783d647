# No lint of the workspace fires, in tests neither, nor in what the command has for AWS.
cargo clippy --workspace --all-targets --features countersign/aws --locked -- -D warnings
