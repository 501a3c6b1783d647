# Sourced by test.sh, after libraries.sh. setup_packages [EVERYTHING] sets package_tests to the files of tests/packages
# that can run here, and reports the others as skipped. They fetch the packages that they install themselves.
setup_packages() {
    package_tests=()
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        skip "tests of the packages" "no node with npm"
        return 0
    fi
    if [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" != true ]; then
        skip "tests of the packages" "node $(node --version) is older than 20"
        return 0
    fi
    package_tests+=(tests/packages/npm.test.mjs tests/packages/python.test.mjs tests/packages/rust.test.mjs)
    setup_go_library "tests of the package for Go"
    if [ -n "$go_library" ]; then package_tests+=(tests/packages/go.test.mjs); fi
    if [ -n "${1:-}" ]; then
        export COUNTERSIGN_ALL_PACKAGES=1
        if [ "$(uname -sm)" = "Linux x86_64" ]; then
            package_tests+=(tests/packages/runtimes.test.mjs)
        else
            skip "tests of frameworks and runtimes" "their programs are for Linux on x86-64, and this is $(uname -sm)"
        fi
    fi
}
