# Sourced by test.sh. Sets up the browser tests: exports COUNTERSIGN_CHROMIUM and sets browser_tests=ready,
# or reports the tests as skipped.

# find_browser NAME...: prints the path of the first of these programs that runs.
find_browser() {
    local candidate
    for candidate; do
        # Some of these are stubs that only recommend another package, so they have to be run.
        if [ -n "$candidate" ] && "$candidate" --version >/dev/null 2>&1; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

setup_node_packages() {
    local dir=$root/tests/browser key
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        skip "browser tests" "no node with npm"
        return 1
    fi
    if [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" != true ]; then
        skip "browser tests" "node $(node --version) is older than 20"
        return 1
    fi
    key=$(cat "$dir/package.json" "$dir/package-lock.json" | hash_stdin)
    if stamped node "$key" && [ -d "$dir/node_modules" ]; then
        return 0
    fi
    echo "setting up $dir/node_modules"
    if ! (cd "$dir" && quietly npm.log npm ci --no-audit --no-fund); then
        skip "browser tests" "npm could not install tests/browser/package-lock.json"
        return 1
    fi
    stamp node "$key"
}

# Headless Chromium opens a page in a quarter of the time. Debian and Chrome for Testing have it; elsewhere, a
# complete browser is used.
shells=(chromium-headless-shell chrome-headless-shell)
whole=(chromium chromium-browser google-chrome-stable google-chrome
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")

setup_chromium() {
    local chromium
    if chromium=$(find_browser "${COUNTERSIGN_CHROMIUM:-}" "${shells[@]}") ||
        { apt_install chromium-headless-shell && chromium=$(find_browser "${shells[@]}"); } ||
        chromium=$(find_browser "${whole[@]}") ||
        { apt_install chromium && chromium=$(find_browser "${whole[@]}"); }; then
        export COUNTERSIGN_CHROMIUM=$chromium
    else
        skip "browser tests" "no Chromium, and apt-get could not install it"
        return 1
    fi
}

# The web authenticator is also tested in Firefox and WebKitGTK. Their tests report what is missing.
setup_other_browsers() {
    local firefox
    if firefox=$(find_browser "${COUNTERSIGN_FIREFOX:-}" firefox-esr firefox "/Applications/Firefox.app/Contents/MacOS/firefox") ||
        { apt_install firefox-esr && firefox=$(find_browser firefox-esr); }; then
        export COUNTERSIGN_FIREFOX=$firefox
    fi
    if ! command -v WebKitWebDriver >/dev/null || ! command -v Xvfb >/dev/null || ! has_webkit_bindings; then
        apt_install webkit2gtk-driver gir1.2-webkit2-4.1 python3-gi xvfb || true
    fi
}

# The system's Python, because pip has no bindings of WebKitGTK.
has_webkit_bindings() { /usr/bin/python3 -c 'import gi; gi.require_version("WebKit2", "4.1")' >/dev/null 2>&1; }

setup_browser() {
    browser_tests=
    if ! command -v zbarimg >/dev/null && ! apt_install zbar-tools; then
        skip "QR codes read by zbar" "no zbarimg, and apt-get could not install it"
    fi
    if setup_node_packages && setup_chromium; then
        browser_tests=ready
    fi
}
