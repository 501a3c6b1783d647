# Sourced by test.sh after python.sh, and by example.sh, which start the example in Node.js from the same archive. The
# tests skip an example, by name, if something is missing.
. "$root/scripts/setup/archives.sh"

setup_examples() {
    if command -v npm >/dev/null; then install_node_archive examples/node || true; fi
    if command -v go >/dev/null; then
        (cd examples/go && quietly go-example.log go mod download) || true
    fi
}
