#!/usr/bin/env bash
# Starts an example with the server of `make run`: scripts/example.sh node|python|go|better-auth. PORT chooses another port than
# 3000. Tests set the command, its data, and a Python with the library: COUNTERSIGN_BIN, COUNTERSIGN_DATA,
# COUNTERSIGN_PYTHON.
. "$(dirname "$0")/common.sh"
. "$root/scripts/setup/examples.sh"

command=${COUNTERSIGN_BIN:-${CARGO_TARGET_DIR:-target}/local/countersign}
data=${COUNTERSIGN_DATA:-.countersign}
export PORT=${PORT:-3000}
if ! [ -S "$data/admin.sock" ]; then
    echo "start the server first, in another terminal: make run" >&2
    exit 1
fi

# The service's configuration. The demo app must list the page that opens logins.
field() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "$data/demo.json"; }
COUNTERSIGN_URL=$(field url)
COUNTERSIGN_API_KEY=$(field apiKey)
COUNTERSIGN_APP_KEY=$(field appKey)
COUNTERSIGN_WEBHOOK_SECRET=$("$command" --data "$data" app webhook-secret demo | head -n 1)
export COUNTERSIGN_URL COUNTERSIGN_API_KEY COUNTERSIGN_APP_KEY COUNTERSIGN_WEBHOOK_SECRET
"$command" --data "$data" app update demo --add-origin "http://localhost:$PORT" \
    --add-return-page "http://localhost:$PORT/login" >/dev/null

# The page of a user's account sets up phones without an app. Their keys belong to the link host, so no other app may
# have it.
if [ "${1:-}" != better-auth ]; then
    "$command" --data "$data" app update demo --web-phone on --phone-setup-url "http://localhost:$PORT/" >/dev/null ||
        echo "phones without an app are not available" >&2
fi

case "${1:-}" in
node)
    install_node_archive examples/node
    exec node examples/node/server.mjs
    ;;
better-auth)
    setup_better_auth_example
    exec node clients/better-auth/examples/hono/server.mjs
    ;;
python)
    if [ -z "${COUNTERSIGN_PYTHON:-}" ]; then
        if ! "$tools/example/bin/python" -c 'import flask' 2>/dev/null; then
            scripts/pack.sh python
            rm -rf "$tools/example"
            python3 -m venv "$tools/example"
            "$tools/example/bin/python" -m pip install --quiet --disable-pip-version-check \
                "dist/countersign_server-$(workspace_version)-py3-none-any.whl[flask]"
        fi
        install_python_wheel example
        COUNTERSIGN_PYTHON=$tools/example/bin/python
    fi
    exec "$COUNTERSIGN_PYTHON" examples/python/server.py
    ;;
go)
    go build -C examples/go -o "$tools/example-go" .
    cd examples/go
    exec "$tools/example-go"
    ;;
*)
    echo "there are the examples node, python, go and better-auth" >&2
    exit 1
    ;;
esac
