# Sourced by test.sh: the JOSE libraries with which tests compare our proofs in Node.js and in Java, where they also
# serve the login sample. The tests skip what is missing, by name.
. "$root/scripts/setup/archives.sh"

setup_login_samples() {
    local java=$root/docs/receivers/java/login key
    if command -v npm >/dev/null; then install_node_archive examples/node || true; fi
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
