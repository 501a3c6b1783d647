#!/usr/bin/env bash
# Builds the functions and deploys them with the settings of an environment: infra/deploy.sh NAME reads
# infra/environments/NAME.toml. Without a name, it deploys the only environment. Further arguments are options
# of `sam deploy`, except options that set parameters, which belong in the file.
set -euo pipefail
cd "$(dirname "$0")/.."
export SAM_CLI_TELEMETRY=${SAM_CLI_TELEMETRY:-0}
# Without this, `sam` does not run the template's loops.
export SAM_CLI_ENABLE_LANGUAGE_EXTENSIONS=1

fail() {
    echo "make deploy: $*" >&2
    exit 1
}

# --- which environment ----------------------------------------------------------------------------

name=
case "${1:-}" in
    '' | -*) ;;
    *)
        name=$1
        shift
        ;;
esac
names=$(find infra/environments -name '*.toml' ! -name example.toml -exec basename {} .toml \; | sort)
if [ -z "$name" ] && [ "$(printf '%s\n' "$names" | wc -l)" -eq 1 ]; then
    name=$names
fi
if [ -z "$names" ]; then
    fail "there is no environment yet. Copy infra/environments/example.toml to production.toml" \
        "beside it, edit the copy, and run: make deploy ENV=production"
elif [ -z "$name" ]; then
    fail "which environment? Run: make deploy ENV=NAME, with one of" $names
elif [ ! -f "infra/environments/$name.toml" ]; then
    fail "there is no infra/environments/$name.toml. There are:" $names
fi
config=$PWD/infra/environments/$name.toml

for option; do
    case "$option" in
        -g | --guided | --parameter-overrides* | --config-* | --stack-name* | --region* | --profile*)
            fail "$option is not accepted here, because the next deployment would undo it." \
                "Edit infra/environments/$name.toml instead."
            ;;
    esac
done

# setting KEY: prints the value of a key in the file. parameter KEY: the same for a parameter; fails if the
# file does not set it.
settings() { sed 's/^[[:space:]]*#.*//' "$config"; }
setting() { settings | sed -nE "s/^$1[[:space:]]*=[[:space:]]*\"([^\"]*)\".*/\1/p" | head -n 1; }
parameter() {
    # Understands "Name=value" in a list, and Name=\"value\" as `sam` writes it.
    settings | sed "s/\\\\\"/'/g" | grep -oE "(^|[\"' ])$1='?[^\"' ]*" | sed -E "s/^.?$1='?//" |
        grep -m 1 ''
}
stack=$(setting stack_name)
region=$(setting region)
profile=$(setting profile)
if [ -z "$stack" ] || [ -z "$region" ]; then
    fail "infra/environments/$name.toml must set stack_name and region"
elif ! [[ $stack =~ ^[A-Za-z][A-Za-z0-9-]{0,31}$ ]]; then
    fail "the name $stack cannot be used: up to 32 letters, digits and hyphens, a letter first." \
        "Roles and functions are named after it, and AWS allows them 64 characters"
fi

# --- tools ----------------------------------------------------------------------------------------

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
    fail "not found:$missing"
fi
# Older versions fail on the template's loops.
version=$(sam --version | sed -nE 's/.* 1\.([0-9]+)\..*/\1/p')
if [ "${version:-167}" -lt 167 ]; then
    fail "sam 1.$version is too old, 1.167 or later is needed: pip install aws-sam-cli==1.167.0"
fi

# --- checks of the account ------------------------------------------------------------------------

. infra/preflight.sh
check_region
check_concurrency
check_table
check_signing_key
check_local_key
check_openid
check_capabilities

# --- build and deploy -----------------------------------------------------------------------------

# Fails if Cargo.lock is stale, so that the tested versions are deployed.
cargo metadata --locked --format-version 1 >/dev/null

# SAM builds the functions one after the other into the workspace's target directory. The first build compiles
# the shared crates; the others take seconds (functions/.cargo/config.toml).
sam build --template-file infra/template.yaml --config-file "$config"

exec sam deploy --config-file "$config" "$@"
