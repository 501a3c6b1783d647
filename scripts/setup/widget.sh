# Sourced by test.sh and by the check of the widget. setup_widget NAME sets up the packages that build and
# test the widget: sets widget_tools=ready, or reports NAME as skipped.
. "$root/scripts/setup/npm.sh"

setup_widget() {
    widget_tools=
    if setup_npm clients/widget "$1"; then widget_tools=ready; fi
}
