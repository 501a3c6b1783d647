# Checks that the documentation builds without warnings, such as broken links.
RUSTDOCFLAGS="${RUSTDOCFLAGS:-} -D warnings" cargo doc --workspace --no-deps --locked --quiet
