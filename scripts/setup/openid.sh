# Sourced by test.sh after browser.sh and libraries.sh. setup_openid [EVERYTHING] sets up the clients of tests/openid: sets
# openid_tests to the files that can run here, with EVERYTHING also Keycloak's, or reports the tests as skipped. Exports
# COUNTERSIGN_OPENID_PYTHON and COUNTERSIGN_OPENID_BUILT, a folder of programs. Tests skip a client, by name, whose program
# is missing.
. "$root/scripts/setup/npm.sh"
. "$root/scripts/setup/venv.sh"

setup_openid() {
    openid_tests=()
    setup_npm tests/openid "tests with OpenID clients" || return 0
    export COUNTERSIGN_OPENID_BUILT=$tools/openid-clients
    mkdir -p "$COUNTERSIGN_OPENID_BUILT"
    openid_tests+=(tests/openid/foundation.test.mjs tests/openid/openid.test.mjs tests/openid/code.test.mjs
        tests/openid/mix-up.test.mjs tests/openid/clocks.test.mjs)
    command -v faketime >/dev/null || apt_install faketime || true
    if pinned_venv openid "tests with OpenID clients in Python"; then
        export COUNTERSIGN_OPENID_PYTHON=$tools/openid/bin/python
    fi
    if command -v go >/dev/null; then
        openid_in_go go-oidc . || true
        openid_in_go oauth2-proxy github.com/oauth2-proxy/oauth2-proxy/v7 || true
    fi
    openid_java || return 0
    openid_spring || true
    if [ -n "${1:-}" ] && openid_keycloak; then openid_tests+=(tests/openid/keycloak.test.mjs); fi
}

# openid_in_go NAME PACKAGE: builds a package as the module in clients/NAME pins it.
openid_in_go() {
    local name=$1 key
    key=$({ cat "tests/openid/clients/$name"/*; go env GOVERSION; } | hash_stdin)
    if stamped "openid-$name" "$key" && [ -x "$COUNTERSIGN_OPENID_BUILT/$name" ]; then return 0; fi
    echo "setting up $COUNTERSIGN_OPENID_BUILT/$name"
    (cd "tests/openid/clients/$name" && quietly "openid-$name.log" go build -mod=readonly -o "$COUNTERSIGN_OPENID_BUILT/$name" "$2") || return 1
    stamp "openid-$name" "$key"
}

openid_java() {
    if command -v javac >/dev/null && command -v mvn >/dev/null || apt_install openjdk-17-jdk-headless maven; then return 0; fi
    return 1
}

openid_spring() {
    local folder=tests/openid/clients/spring built=$COUNTERSIGN_OPENID_BUILT/spring.jar key
    key=$(find "$folder" -path "$folder/target" -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 cat | hash_stdin)
    if stamped openid-spring "$key" && [ -f "$built" ]; then return 0; fi
    echo "setting up $built"
    quietly openid-spring.log mvn -B -ntp -q -f "$folder/pom.xml" clean package || return 1
    mv "$folder/target/site.jar" "$built"
    stamp openid-spring "$key"
}

# Building prepares Keycloak's start, which takes minutes.
openid_keycloak() {
    local pom=tests/openid/clients/keycloak/pom.xml built=$COUNTERSIGN_OPENID_BUILT/keycloak key
    key=$(hash_stdin <"$pom")
    if stamped openid-keycloak "$key" && [ -x "$built/bin/kc.sh" ]; then return 0; fi
    echo "setting up $built"
    rm -rf "$built" "$built-unpacked"
    quietly openid-keycloak.log mvn -B -ntp -q -f "$pom" \
        org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack-dependencies \
        "-DoutputDirectory=$built-unpacked" "-DmarkersDirectory=$built-unpacked/markers" || return 1
    mv "$built-unpacked"/keycloak-* "$built"
    rm -rf "$built-unpacked"
    quietly openid-keycloak-build.log "$built/bin/kc.sh" build --db=dev-mem --cache=local || return 1
    stamp openid-keycloak "$key"
}
