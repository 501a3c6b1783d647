# Sourced by test.sh: the libraries that the samples in Node.js and the login sample in Java are run with. The
# tests skip a sample, by name, where its library is missing.
setup_login_samples() {
    local node=$root/docs/receivers/node library=$root/clients/node java=$root/docs/receivers/java/login key
    if command -v npm >/dev/null; then
        # The samples get a copy of our library, as users do.
        key=$(cat "$node/package.json" "$node/package-lock.json" "$library/package.json" "$library"/src/*.* \
            "$library"/src/handlers/* | hash_stdin)
        if ! stamped login-node "$key" || ! [ -d "$node/node_modules" ]; then
            echo "setting up $node/node_modules"
            if (cd "$node" && quietly npm-login.log npm ci --no-audit --no-fund); then
                stamp login-node "$key"
            else
                rm -rf "$node/node_modules"
            fi
        fi
    fi
    if command -v javac >/dev/null; then
        key=$(hash_stdin <"$java/pom.xml")
        if ! stamped login-java "$key" || ! [ -d "$java/target/dependency" ]; then
            echo "setting up $java/target/dependency"
            rm -rf "$java/target/dependency"
            if { command -v mvn >/dev/null || apt_install maven; } &&
                quietly mvn-login.log mvn -q -B -f "$java/pom.xml" dependency:copy-dependencies; then
                stamp login-java "$key"
            else
                rm -rf "$java/target/dependency"
            fi
        fi
    fi
}
