# Checks the server libraries: types, formatting, and that the files generated from docs/openapi.json are
# current.
. "$(dirname "$0")/../common.sh"
. "$root/scripts/setup/libraries.sh"

setup_node_library "the check of the Node library"
if [ "$node_library" = ready ]; then (cd clients/node && npm run --silent check); fi

setup_better_auth "the check of the plugin for Better Auth"
if [ "$better_auth" = ready ]; then (cd clients/better-auth && npm run --silent check); fi

setup_authenticator "the check of the phone in JavaScript"
if [ "$authenticator" = ready ]; then (cd clients/authenticator && npm run --silent check); fi

setup_go_library "the check of the Go library"
if [ "$go_library" = ready ]; then
    unformatted=$(gofmt -l clients/go examples/go)
    if [ -n "$unformatted" ]; then
        echo "run gofmt -w:" $unformatted >&2
        exit 1
    fi
    for module in "${go_modules[@]}"; do (cd "clients/go/$module" && go vet ./...); done
fi
