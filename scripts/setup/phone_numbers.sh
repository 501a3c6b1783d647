# Sourced by test.sh and numbering_plans.sh. Sets up libphonenumber: exports COUNTERSIGN_LIBPHONENUMBER (a Python
# that has it), or reports the comparison as skipped.

. "$root/scripts/setup/venv.sh"

setup_phone_numbers() {
    if pinned_venv phone-numbers "the comparison with libphonenumber"; then
        export COUNTERSIGN_LIBPHONENUMBER=$tools/phone-numbers/bin/python
    fi
}
