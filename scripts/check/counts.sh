# Counts the system calls and instructions of the functions, and compares them with the recorded ones. Builds
# as `make test` does, so that both share what is compiled.
cargo test --workspace --features countersign/aws --locked --test counts
