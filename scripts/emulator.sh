#!/usr/bin/env bash
# AWS on this machine: `scripts/emulator.sh emulator` starts an emulator on http://127.0.0.1:4566, and
# `scripts/emulator.sh deploy` builds the functions and deploys them there, and `scripts/emulator.sh text FROM TO TEXT`
# sends a text to the deployed service (tests/deployment/local.py).
. "$(dirname "$0")/common.sh"
. "$root/scripts/setup/aws.sh"

if [ "$(uname -s)" != Linux ]; then
    echo "the emulator runs functions that are built for Linux, and this is $(uname -s)" >&2
    exit 1
fi
setup_aws_tools
if [ -z "${COUNTERSIGN_AWS_TOOLS:-}" ]; then
    exit 1
fi
export PYTHONDONTWRITEBYTECODE=1
if [ "$1" = deploy ]; then
    build_programs start
fi
exec "$COUNTERSIGN_AWS_TOOLS/bin/python" tests/deployment/local.py "$@"
