# Checks the format of the Rust code.
cargo fmt --all --check -- --color never
