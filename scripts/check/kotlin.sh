# Lints the Kotlin code of the mobile SDK, and compiles its core for Android if Rust's Android target is
# installed.
. "$(dirname "$0")/../common.sh"
. "$root/scripts/setup/kotlin.sh"

ktlint=com.pinterest.ktlint:ktlint-cli:1.8.0:jar:all
detekt=io.gitlab.arturbosch.detekt:detekt-cli:1.23.8:jar:all
sdk=clients/sdk/kotlin
failed=

# fetch COORDINATES: fetches a tool with Maven.
fetch() {
    mvn -q -B -ntp -f "$sdk/pom.xml" -N org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -Dartifact="$1" \
        -DoutputDirectory="$tools/kotlin-lint" -Dmdep.useBaseVersion=true
}

setup_kotlin "lints of the mobile SDK"
if [ -n "${kotlin_tools:-}" ]; then
    if ! stamped kotlin-lint "$ktlint $detekt"; then
        rm -rf "$tools/kotlin-lint"
        fetch "$ktlint"
        fetch "$detekt"
        stamp kotlin-lint "$ktlint $detekt"
    fi
    echo "-- ktlint"
    java -jar "$tools"/kotlin-lint/ktlint-cli-*.jar --relative --log-level=error \
        "$sdk/*/src/**/*.kt" "$sdk/**/*.kts" || failed="$failed ktlint"
    echo "-- detekt"
    java -jar "$tools"/kotlin-lint/detekt-cli-*.jar --build-upon-default-config --config "$sdk/detekt.yml" \
        --base-path "$root" --input "$sdk" --excludes '**/generated/**,**/target/**,**/build/**' ||
        failed="$failed detekt"
fi

target=aarch64-linux-android
if rustup target list --installed 2>/dev/null | grep -qx "$target"; then
    echo "-- cargo check for $target"
    cargo check -p countersign-sdk-ffi --lib --target "$target" --locked || failed="$failed $target"
else
    skip "the SDK's core for Android" "no Rust target $target: rustup target add $target"
fi

if [ -n "$failed" ]; then
    echo "failed:$failed"
    exit 1
fi
