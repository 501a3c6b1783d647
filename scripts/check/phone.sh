# Checks the types of the web authenticator's pages, and that the committed files match their source.
. "$(dirname "$0")/../common.sh"
. "$root/scripts/setup/phone.sh"

setup_phone "the check of the web authenticator's pages"
if [ "$phone_tools" = ready ]; then
    cd clients/phone
    npm run --silent check
fi
