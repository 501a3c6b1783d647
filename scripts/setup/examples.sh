# Sourced by test.sh, after python.sh. Sets up what the examples in Node.js and Go need beside it. The tests skip an
# example, by name, where something is missing.
setup_examples() {
    local node=$root/examples/node library=$root/clients/node key
    if command -v npm >/dev/null; then
        # The example gets a copy of our library, as users do.
        key=$(cat "$node/package.json" "$node/package-lock.json" "$library/package.json" "$library"/src/*.* \
            "$library"/src/handlers/* | hash_stdin)
        if ! stamped example-node "$key" || ! [ -d "$node/node_modules" ]; then
            echo "setting up $node/node_modules"
            if (cd "$node" && quietly npm-example.log npm ci --no-audit --no-fund); then
                stamp example-node "$key"
            else
                rm -rf "$node/node_modules"
            fi
        fi
    fi
    if command -v go >/dev/null; then
        (cd examples/go && quietly go-example.log go mod download) || true
    fi
}
