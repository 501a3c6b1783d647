# Sourced by other scripts. setup_npm DIR NAME sets up the packages of a folder of clients/, and succeeds; or it reports
# NAME as skipped, and fails.
setup_npm() {
    local folder=$1 name=$2 dir=$root/clients/$1 key
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
    if ! stamped "npm-$folder" "$key" || ! [ -d "$dir/node_modules" ]; then
        echo "setting up $dir/node_modules"
        if ! (cd "$dir" && quietly "npm-$folder.log" npm ci --ignore-scripts --no-audit --no-fund); then
            skip "$name" "npm could not install clients/$folder/package-lock.json"
            return 1
        fi
        stamp "npm-$folder" "$key"
    fi
}
