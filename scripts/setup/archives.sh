# Sourced by other scripts. Installs our libraries from the archives that scripts/pack.sh makes of this tree, as users do.
#   install_node_archive FOLDER     into FOLDER/node_modules, with what its lock file says
#   install_python_wheel VENV       into .tools/VENV, which has what the library needs

# sources FOLDER: prints a hash of the sources of a folder's archive.
sources() {
    (cd "$root/$1" && find . \( -name node_modules -o -name types -o -name cjs -o -name __pycache__ \) -prune -o -type f -print0 |
        LC_ALL=C sort -z | xargs -0 cat) | hash_stdin
}

install_node_archive() {
    local folder=$1 name=archive-${1//\//-} key
    key=$({ cat "$root/$folder/package-lock.json"; sources clients/node; } | hash_stdin)
    if stamped "$name" "$key" && [ -d "$root/$folder/node_modules" ]; then return 0; fi
    echo "setting up $root/$folder/node_modules"
    # The lock files name this folder.
    if COUNTERSIGN_DIST='' quietly "pack-$name.log" "$root/scripts/pack.sh" node &&
        (cd "$root/$folder" && quietly "npm-$name.log" npm ci --no-audit --no-fund); then
        stamp "$name" "$key"
    else
        rm -rf "$root/$folder/node_modules"
        return 1
    fi
}

install_python_wheel() {
    local name=$1 python=$tools/$1/bin/python key
    key=$({ sources clients/python; echo "$python"; } | hash_stdin)
    if stamped "$name-wheel" "$key" && "$python" -c "import countersign" 2>/dev/null; then return 0; fi
    quietly "pack-$name.log" "$root/scripts/pack.sh" python &&
        quietly "pip-$name-countersign.log" "$python" -m pip install --disable-pip-version-check --no-index --no-deps \
            --force-reinstall "$root/dist/countersign_server-$(workspace_version)-py3-none-any.whl" || return 1
    stamp "$name-wheel" "$key"
}
