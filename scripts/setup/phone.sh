# Sourced by test.sh and by the check of the web authenticator's pages. setup_phone NAME sets up the packages that build
# and test their script: sets phone_tools=ready, or reports NAME as skipped.
. "$root/scripts/setup/npm.sh"

setup_phone() {
    phone_tools=
    if setup_npm clients/phone "$1"; then phone_tools=ready; fi
}
