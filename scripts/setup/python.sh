# Sourced by test.sh. Sets up a Python with pinned packages and the wheel of clients/python for the example in
# Python and the comparisons with it: exports COUNTERSIGN_PYTHON, or reports the tests as skipped.

. "$root/scripts/setup/archives.sh"
. "$root/scripts/setup/python_library.sh"

setup_python() {
    local requirements=$root/scripts/setup/requirements.txt venv=$tools/python key
    if ! command -v python3 >/dev/null && ! apt_install python3 python3-venv; then
        skip "what is compared in Python" "no python3"
        return 0
    fi
    # A virtual environment contains absolute paths, so its location is part of the key.
    key=$({ cat "$requirements"; python3 -VV; echo "$venv"; } | hash_stdin)
    if ! stamped python "$key" || ! [ -x "$venv/bin/python" ]; then
        echo "setting up $venv"
        rm -rf "$venv"
        if ! quietly venv.log python3 -m venv "$venv"; then
            # Debian has the rest of this module in a separate package.
            rm -rf "$venv"
            if ! apt_install python3-venv || ! quietly venv.log python3 -m venv "$venv"; then
                skip "what is compared in Python" "python3 -m venv does not work"
                return 0
            fi
        fi
        if ! quietly pip.log "$venv/bin/python" -m pip install --disable-pip-version-check \
            --require-hashes --only-binary :all: -r "$requirements"; then
            skip "what is compared in Python" "pip could not install scripts/setup/requirements.txt"
            return 0
        fi
        stamp python "$key"
    fi
    if ! install_python_wheel python; then
        skip "what is compared in Python" "pip could not install clients/python"
        return 0
    fi
    export COUNTERSIGN_PYTHON=$venv/bin/python
}
