# Sourced by test.sh and by the check of the widget. setup_widget NAME sets up the packages that build and
# test the widget: sets widget_tools=ready, or reports NAME as skipped.
setup_widget() {
    local name=$1 dir=$root/clients/widget key
    widget_tools=
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        skip "$name" "no node with npm"
        return 0
    fi
    if [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" != true ]; then
        skip "$name" "node $(node --version) is older than 20"
        return 0
    fi
    # The compilers are binaries for one platform.
    key=$({ cat "$dir/package.json" "$dir/package-lock.json"; node -p 'process.platform + process.arch'; } |
        hash_stdin)
    if ! stamped widget "$key" || ! [ -d "$dir/node_modules" ]; then
        echo "setting up $dir/node_modules"
        if ! (cd "$dir" && quietly npm-widget.log npm ci --no-audit --no-fund); then
            skip "$name" "npm could not install clients/widget/package-lock.json"
            return 0
        fi
        stamp widget "$key"
    fi
    widget_tools=ready
}
