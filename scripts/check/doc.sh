# Checks that the command compiles by itself, without features that only other members of the workspace
# enable, and that the documentation builds without warnings, such as about broken links.
#
# Without clippy, which lints the same code elsewhere.
unset RUSTC_WORKSPACE_WRAPPER
cargo check --locked -p countersign
RUSTDOCFLAGS="${RUSTDOCFLAGS:-} -D warnings" cargo doc --no-deps --locked --quiet
