# Sourced by test.sh. Sets up the SMS providers' own libraries for tests/interop: exports
# COUNTERSIGN_SMS_PROVIDERS (a Python that has them), or reports the tests as skipped. The tests skip the
# Node.js libraries if they are missing.

. "$root/scripts/setup/venv.sh"

setup_sms_providers() {
    if pinned_venv sms-providers "texts signed by the providers' own libraries"; then
        export COUNTERSIGN_SMS_PROVIDERS=$tools/sms-providers/bin/python
    fi
    local node=$root/tests/interop/providers key
    if command -v npm >/dev/null; then
        key=$(cat "$node/package.json" "$node/package-lock.json" | hash_stdin)
        if ! stamped sms-providers-node "$key" || ! [ -d "$node/node_modules" ]; then
            echo "setting up $node/node_modules"
            if (cd "$node" && quietly npm-sms-providers.log npm ci --no-audit --no-fund); then
                stamp sms-providers-node "$key"
            else
                rm -rf "$node/node_modules"
            fi
        fi
    fi
}
