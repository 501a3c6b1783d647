# Checks the format of the Rust code.
cargo fmt --all --check -- --color never
cargo fmt --manifest-path fuzz/Cargo.toml --check -- --color never
