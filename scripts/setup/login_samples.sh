# Sourced by test.sh: the libraries that the samples in Node.js and the login sample in Java are run with. The
# tests skip a sample, by name, where its library is missing.
. "$root/scripts/setup/archives.sh"

setup_login_samples() {
    local java=$root/docs/receivers/java/login key
    if command -v npm >/dev/null; then install_node_archive docs/receivers/node || true; fi
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
