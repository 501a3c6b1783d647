# Sourced by test.sh. Sets up the Python library of clients/python, with what its tests need.
#   setup_python_library            exports COUNTERSIGN_PYTHON_LIBRARY (a Python that has them)
#   install_python_library NAME     installs the library into .tools/NAME

. "$root/scripts/setup/venv.sh"

setup_python_library() {
    local what="tests of the Python library"
    pinned_venv python-library "$what" || return 0
    if install_python_library python-library; then
        export COUNTERSIGN_PYTHON_LIBRARY=$tools/python-library/bin/python
    else
        skip "$what" "pip could not install clients/python"
    fi
}

# Installs a reference to this tree, so that changes to the library require no reinstallation. It uses that
# environment's hatchling, and no network.
install_python_library() {
    local name=$1 python=$tools/$1/bin/python key
    key=$({ cat "$root/clients/python/pyproject.toml"; echo "$root $python"; } | hash_stdin)
    if stamped "$name-countersign" "$key" && "$python" -c "import countersign" 2>/dev/null; then
        return 0
    fi
    quietly "pip-$name-countersign.log" "$python" -m pip install --disable-pip-version-check \
        --no-index --no-deps --no-build-isolation --editable "$root/clients/python" || return 1
    stamp "$name-countersign" "$key"
}
