# Sourced by test.sh and by the check of the server libraries. Each sets a variable, or reports its library as skipped:
#   setup_node_library NAME    node_library=ready
#   setup_better_auth NAME     better_auth=ready
#   setup_authenticator NAME   authenticator=ready
#   setup_go_library NAME      go_library=ready
# Python's is in python_library.sh.
. "$root/scripts/setup/npm.sh"
. "$root/scripts/setup/archives.sh"

# The oldest Go with the package that the tests use to decrypt payloads.
go_minimum=1.26

setup_node_library() {
    node_library=
    if setup_npm clients/node "$1"; then node_library=ready; fi
}

# The plugin for Better Auth is built and tested with the archive of the Node library.
setup_better_auth() {
    better_auth=
    if ! setup_npm clients/node "$1"; then return 0; fi
    if install_node_archive clients/better-auth; then
        better_auth=ready
    else
        skip "$1" "npm could not install clients/better-auth/package-lock.json"
    fi
}

setup_authenticator() {
    authenticator=
    if setup_npm clients/authenticator "$1"; then authenticator=ready; fi
}

setup_go_library() {
    local name=$1 version
    go_library=
    if ! command -v go >/dev/null; then
        skip "$name" "no go"
        return 0
    fi
    version=$(go env GOVERSION | sed 's/^go//')
    if [ "$(printf '%s\n' "$go_minimum" "$version" | sort -V | head -n 1)" != "$go_minimum" ]; then
        skip "$name" "go $version is older than $go_minimum"
        return 0
    fi
    for module in "${go_modules[@]}"; do
        if ! (cd "$root/clients/go/$module" && quietly go-modules.log go mod download); then
            skip "$name" "go could not fetch the modules of clients/go/$module"
            return 0
        fi
    done
    go_library=ready
}

# The module that users get, and the modules next to it.
go_modules=(. internal/generate internal/integration internal/pack)
