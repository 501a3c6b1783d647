# Checks the types of the OpenID provider's page, and that the committed files match its source.
. "$(dirname "$0")/../common.sh"
. "$root/scripts/setup/authorize.sh"

setup_authorize "the check of the OpenID provider's page"
if [ "$authorize_tools" = ready ]; then
    cd clients/authorize
    npm run --silent check
fi
