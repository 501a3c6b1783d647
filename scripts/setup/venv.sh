# Sourced by the scripts that set up Python packages.

# pinned_venv NAME WHAT: makes .tools/NAME with exactly the packages in scripts/setup/NAME.txt, or reports
# WHAT as skipped.
pinned_venv() {
    local name=$1 what=$2 venv=$tools/$1 requirements=$root/scripts/setup/$1.txt key
    if ! command -v python3 >/dev/null && ! apt_install python3 python3-venv; then
        skip "$what" "no python3"
        return 1
    fi
    if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        skip "$what" "$(python3 -V) is older than 3.11"
        return 1
    fi
    # A virtual environment contains absolute paths, so its location is part of the key.
    key=$({ cat "$requirements"; python3 -VV; echo "$venv"; } | hash_stdin)
    if stamped "$name" "$key" && [ -x "$venv/bin/python" ]; then
        return 0
    fi
    echo "setting up $venv"
    rm -rf "$venv"
    if ! quietly "venv-$name.log" python3 -m venv "$venv"; then
        # Debian has the rest of this module in a separate package.
        rm -rf "$venv"
        if ! apt_install python3-venv || ! quietly "venv-$name.log" python3 -m venv "$venv"; then
            skip "$what" "python3 -m venv does not work"
            return 1
        fi
    fi
    # All dependencies are listed, so pip does not have to resolve any. Compiling them at the end uses all
    # processors.
    if ! quietly "pip-$name.log" "$venv/bin/python" -m pip install --disable-pip-version-check \
        --no-deps --no-compile --require-hashes --only-binary :all: -r "$requirements"; then
        skip "$what" "pip could not install scripts/setup/$name.txt"
        return 1
    fi
    # Some packages contain files for other versions of Python, which do not compile.
    "$venv/bin/python" -m compileall -q -j 0 "$venv/lib" >"$logs/compile-$name.log" 2>&1 || true
    stamp "$name" "$key"
}
