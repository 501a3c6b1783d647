#!/usr/bin/env bash
# Writes the numbering plans of the domain from libphonenumber's metadata: scripts/numbering_plans.sh. With
# --check, it fails if they are outdated.
. "$(dirname "$0")/common.sh"
. "$root/scripts/setup/phone_numbers.sh"

setup_phone_numbers
"${COUNTERSIGN_LIBPHONENUMBER:?no Python with libphonenumber}" scripts/numbering_plans.py "$@"
