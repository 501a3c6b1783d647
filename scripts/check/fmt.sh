# The code is formatted as rustfmt.toml says.
cargo fmt --all --check -- --color never
