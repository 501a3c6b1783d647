# Sourced by test.sh. setup_kotlin NAME finds what builds and tests the Kotlin part of the mobile SDK: sets
# kotlin_tools=ready, or reports NAME as skipped. Maven fetches the compiler and the libraries itself, except
# Android's, which android-jars.sh fetches. Sets kotlin_modules to the modules that can be tested, and reports
# the others as skipped.
setup_kotlin() {
    local name=$1 version modules module
    kotlin_tools=
    if ! command -v javac >/dev/null || ! command -v mvn >/dev/null; then
        apt_install openjdk-17-jdk-headless maven || true
    fi
    if ! command -v javac >/dev/null || ! command -v mvn >/dev/null; then
        skip "$name" "no Java 17 with Maven"
        return 0
    fi
    version=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
    if [ "${version:-0}" -lt 17 ]; then
        skip "$name" "Java $version is older than 17"
        return 0
    fi
    kotlin_tools=ready
    modules=$(sed -n 's/.*<module>\(.*\)<\/module>.*/\1/p' clients/sdk/kotlin/pom.xml)
    if [ "$(uname -sm)" != "Linux x86_64" ]; then
        modules=$(printf '%s\n' "$modules" | grep -vx svc-compose)
        skip "tests of svc-compose" "they draw with a library for Linux on x86-64, and this is $(uname -sm)"
    fi
    kotlin_modules=svc-core
    if command -v unzip >/dev/null || apt_install unzip; then
        if quietly android-jars.log clients/sdk/kotlin/android-jars.sh "$tools/android"; then
            kotlin_modules=$(printf '%s' "$modules" | tr '\n' ',')
            return 0
        fi
    fi
    for module in $modules; do
        if [ "$module" != svc-core ]; then
            skip "tests of $module" "Android's libraries cannot be fetched"
        fi
    done
}
