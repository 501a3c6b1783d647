# Checks the types of the elements, and that the committed script matches its source.
. "$(dirname "$0")/../common.sh"
. "$root/scripts/setup/widget.sh"

setup_widget "the widget's check"
if [ "$widget_tools" = ready ]; then
    cd clients/widget
    npm run --silent check
fi
