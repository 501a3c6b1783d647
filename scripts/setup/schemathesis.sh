# Sourced by test.sh. Sets up schemathesis, which tests the server against its OpenAPI description.
#   setup_schemathesis    exports COUNTERSIGN_SCHEMATHESIS (a virtual environment: bin/st, bin/pytest)

. "$root/scripts/setup/venv.sh"

setup_schemathesis() {
    if pinned_venv schemathesis "OpenAPI tests"; then
        export COUNTERSIGN_SCHEMATHESIS=$tools/schemathesis
    fi
}
