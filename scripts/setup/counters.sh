# Sets up what counts the system calls and instructions of functions.

# setup_counters: installs strace and Valgrind where that is possible. Tests that lack them skip by name.
setup_counters() {
    local tool missing=()
    [ "$(uname -s)" = Linux ] || return 0
    for tool in strace valgrind; do
        command -v "$tool" >/dev/null || missing+=("$tool")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        apt_install "${missing[@]}" || true
    fi
}
