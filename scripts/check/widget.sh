# The login element: its types fit, and the script that is committed is what its source makes.
. "$(dirname "$0")/../common.sh"
. "$root/scripts/setup/widget.sh"

setup_widget "the widget's check"
if [ "$widget_tools" = ready ]; then
    cd clients/widget
    npm run --silent check
fi
