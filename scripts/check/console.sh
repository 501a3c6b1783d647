# Checks the types of the console's page, and that the committed files match its source.
. "$(dirname "$0")/../common.sh"
. "$root/scripts/setup/console.sh"

setup_console "the check of the console's page"
if [ "$console_tools" = ready ]; then
    cd clients/console
    npm run --silent check
fi
