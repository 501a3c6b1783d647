# Sourced by test.sh. setup_assistants NAME sets up the client libraries of the Model Context Protocol: sets
# assistant_tests=ready, or reports NAME as skipped.
. "$root/scripts/setup/npm.sh"

setup_assistants() {
    assistant_tests=
    if setup_npm tests/assistants "$1"; then assistant_tests=ready; fi
}
