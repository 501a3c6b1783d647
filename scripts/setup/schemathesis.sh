# Sourced by test.sh: what asks the server whether it is as its description says.
#   setup_schemathesis    exports COUNTERSIGN_SCHEMATHESIS (a virtual environment: bin/st, bin/pytest)

. "$root/scripts/setup/venv.sh"

setup_schemathesis() {
    if pinned_venv schemathesis "the description against the server"; then
        export COUNTERSIGN_SCHEMATHESIS=$tools/schemathesis
    fi
}
