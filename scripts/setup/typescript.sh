# Sourced by test.sh. Sets up the packages that generate and compile a TypeScript client. Without them,
# tests/openapi reports the tests of that client as skipped.
setup_typescript() {
    local dir=$root/tests/openapi/clients key
    if ! command -v node >/dev/null || ! command -v npm >/dev/null ||
        [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" != true ]; then
        rm -rf "$dir/node_modules"
        return 0
    fi
    key=$(cat "$dir/package.json" "$dir/package-lock.json" | hash_stdin)
    if ! stamped typescript "$key" || ! [ -d "$dir/node_modules" ]; then
        echo "setting up $dir/node_modules"
        if (cd "$dir" && quietly npm-typescript.log npm ci --no-audit --no-fund); then
            stamp typescript "$key"
        else
            rm -rf "$dir/node_modules"
        fi
    fi
}
