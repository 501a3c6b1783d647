# Checks all lints of the workspace, including those in tests and in the command's feature for AWS.
cargo clippy --workspace --all-targets --features countersign/aws --locked -- -D warnings
