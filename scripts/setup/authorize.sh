# Sourced by test.sh and by the check of the OpenID provider's page. setup_authorize NAME sets up the packages that build
# and test its script: sets authorize_tools=ready, or reports NAME as skipped.
. "$root/scripts/setup/npm.sh"

setup_authorize() {
    authorize_tools=
    if setup_npm clients/authorize "$1"; then authorize_tools=ready; fi
}
