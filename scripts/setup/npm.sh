# Sourced by other scripts. setup_npm FOLDER NAME sets up the npm packages of a folder, and succeeds; or it reports NAME
# as skipped, and fails.
setup_npm() {
    local name=$2 dir=$root/$1 mark=npm-${1//\//-} key
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        skip "$name" "no node with npm"
        return 1
    fi
    if [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" != true ]; then
        skip "$name" "node $(node --version) is older than 20"
        return 1
    fi
    # The compilers are binaries for a single platform.
    key=$({ cat "$dir/package.json" "$dir/package-lock.json"; node -p 'process.platform + process.arch'; } |
        hash_stdin)
    if ! stamped "$mark" "$key" || ! [ -d "$dir/node_modules" ]; then
        echo "setting up $dir/node_modules"
        if ! (cd "$dir" && quietly "$mark.log" npm ci --ignore-scripts --no-audit --no-fund); then
            skip "$name" "npm could not install $1/package-lock.json"
            return 1
        fi
        stamp "$mark" "$key"
    fi
}
