#!/usr/bin/env bash
# Builds the functions and deploys them with infra/template.yaml. The first time it asks, and writes
# the answers into infra/samconfig.toml. Options are those of `sam deploy`.
set -euo pipefail
cd "$(dirname "$0")/.."
config=$PWD/infra/samconfig.toml
export SAM_CLI_TELEMETRY=${SAM_CLI_TELEMETRY:-0}

missing=
need() {
    if ! command -v "$1" >/dev/null; then
        missing="$missing"$'\n'"  $1: $2"
    fi
}
need cargo "https://rustup.rs"
need cargo-lambda "pip install cargo-lambda==1.9.2, or https://www.cargo-lambda.info"
need sam "pip install aws-sam-cli==1.167.0"
if ! command -v zig >/dev/null && ! python3 -c 'import ziglang' 2>/dev/null; then
    case "${CARGO_LAMBDA_COMPILER:-}" in
        cargo | cross) ;;
        *) missing="$missing"$'\n'"  zig, to link for Lambda: pip install ziglang==0.17.1" ;;
    esac
fi
if [ -n "$missing" ]; then
    echo "make deploy needs what is not here:$missing" >&2
    exit 1
fi

# Locked: what is deployed is what was tested.
cargo metadata --locked --format-version 1 >/dev/null

# The build has to know the processor, and reads no answers of `sam deploy`.
architecture=$({ cat "$config"; printf '%s\n' "$@"; } |
    grep -oE 'Architecture=[\"]*(arm64|x86_64)' | grep -oE '[^=\"]+$' | tail -n 1 || true)

# sam builds function by function, but all into the workspace's one target directory: the first
# compiles what they share, the others are linked.
sam build --config-file "$config" --parameter-overrides "Architecture=${architecture:-arm64}"

# Callers reach the functions by an alias, and SAM publishes a version for it when code or template
# have changed; of parameters it compares the names. So what is deployed carries a mark of their
# values. COUNTERSIGN_RELEASE, with any new value, has everything published anew.
mark=$({ cat "$config"; printf '%s\n' "$@" "${COUNTERSIGN_RELEASE:-}"; } | cksum)
for built in .aws-sam/build/*Function; do
    printf '%s\n' "$mark" >"$built/parameters.cksum"
done

# A region among the answers means that it has asked before.
if grep -q '^region' "$config"; then
    exec sam deploy --config-file "$config" "$@"
fi
exec sam deploy --guided --config-file "$config" "$@"
