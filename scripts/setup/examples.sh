# Sourced by test.sh after python.sh, and by example.sh, which start the example in Node.js from the same archive. The
# tests skip an example, by name, if something is missing.
. "$root/scripts/setup/libraries.sh"

# The example of the plugin for Better Auth uses the packages of the plugin's folder, and the plugin itself.
setup_better_auth_example() {
    local key
    setup_better_auth "the example of the plugin for Better Auth"
    if [ "$better_auth" != ready ]; then return 1; fi
    key=$(cat clients/better-auth/src/*.ts clients/better-auth/src/*/*.ts clients/better-auth/package-lock.json | hash_stdin)
    if stamped better-auth-dist "$key" && [ -f clients/better-auth/dist/index.js ]; then return 0; fi
    (cd clients/better-auth && quietly better-auth-build.log npm run build) || return 1
    stamp better-auth-dist "$key"
}

setup_examples() {
    if command -v npm >/dev/null; then
        install_node_archive examples/node || true
        setup_better_auth_example || true
    fi
    if command -v go >/dev/null; then
        (cd examples/go && quietly go-example.log go mod download) || true
    fi
}
