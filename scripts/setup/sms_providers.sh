# Sourced by test.sh. Sets up the SMS providers' own libraries for tests/interop: exports
# COUNTERSIGN_SMS_PROVIDERS (a Python that has them), or reports the tests as skipped.

. "$root/scripts/setup/venv.sh"

setup_sms_providers() {
    if pinned_venv sms-providers "texts signed by the providers' own libraries"; then
        export COUNTERSIGN_SMS_PROVIDERS=$tools/sms-providers/bin/python
    fi
}
