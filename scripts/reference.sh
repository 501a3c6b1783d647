#!/usr/bin/env bash
# Writes docs/reference.html from docs/openapi.json and docs/problems.md: scripts/reference.sh. With --check, it
# fails if the page is outdated.
. "$(dirname "$0")/common.sh"
. "$root/scripts/setup/venv.sh"

if pinned_venv reference "the page of the API reference"; then
    PYTHONDONTWRITEBYTECODE=1 "$tools/reference/bin/python" scripts/reference/generate.py "$@"
fi
