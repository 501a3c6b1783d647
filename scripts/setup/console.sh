# Sourced by test.sh and by the check of the console's page. setup_console NAME sets up the packages that build and
# test the page: sets console_tools=ready, or reports NAME as skipped.
. "$root/scripts/setup/npm.sh"

setup_console() {
    console_tools=
    if setup_npm clients/console "$1"; then console_tools=ready; fi
}
