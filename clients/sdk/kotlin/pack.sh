#!/usr/bin/env bash
# Packs the SDK into a Maven repository: pack.sh FOLDER. The folder gets countersign-sdk-VERSION/, the repository, with
# svc-core as a JAR, its native library for this machine, the Android modules as AARs, and the BOM.
#
# Requires Rust, a JDK (17 or later), Maven and Python 3.11. Maven compiles the code that the tests run. With
# COUNTERSIGN_SDK_ANDROID=1, the AAR of svc-android contains native libraries for four ABIs, and the repository is
# also packed as countersign-sdk-VERSION.zip for a release. This requires an Android NDK and the other tools listed in
# native.sh. Otherwise, both are omitted.
#
# COUNTERSIGN_SDK_BUILT is the folder of programs that cargo has built for tests: if set, the native library is taken
# from there. With COUNTERSIGN_SDK_COMPILED=1, Maven has just tested the classes and compiles nothing again.
. "$(dirname "$0")/../../../scripts/common.sh"

sdk=$root/clients/sdk/kotlin
dist=$(cd "$1" && pwd)
name=countersign-sdk-$(workspace_version)
work=$tools/pack-sdk
rm -rf "$work"
mkdir -p "$work/android"

library=libcountersign_sdk_ffi.so
[ "$(uname -s)" = Darwin ] && library=libcountersign_sdk_ffi.dylib
if [ -n "${COUNTERSIGN_SDK_BUILT:-}" ]; then
    "$sdk/bindings.sh" --built "$COUNTERSIGN_SDK_BUILT"
    native=$COUNTERSIGN_SDK_BUILT/deps/$library
else
    "$sdk/bindings.sh" --locked
    cargo build --locked --profile sdk -p countersign-sdk-ffi --lib
    native=$(target_directory)/sdk/$library
fi

if [ -z "${COUNTERSIGN_SDK_COMPILED:-}" ]; then
    "$sdk/android-jars.sh" "$tools/android"
    quietly pack-sdk.log mvn -q -B -ntp -f "$sdk/pom.xml" compile -Dandroid.jars="$tools/android" \
        -pl svc-core,svc-android,svc-scanner,svc-compose/android
fi

android=
if [ -n "${COUNTERSIGN_SDK_ANDROID:-}" ]; then
    "$sdk/native.sh" "$work/android" --locked
    android=$work/android
else
    echo "SKIPPED: native libraries in svc-android's AAR, and with them the archive: COUNTERSIGN_SDK_ANDROID is not set" >&2
fi

rm -rf "${dist:?}/$name" "$dist/$name.zip"
python3 "$sdk/maven_repository.py" "$dist/$name" "$native" ${android:+"$android"}
if [ -n "$android" ]; then
    (cd "$dist" && python3 -m zipfile -c "$name.zip" "$name")
fi
