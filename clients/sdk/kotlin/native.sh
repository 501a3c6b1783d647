#!/usr/bin/env bash
# Builds the native library for Android's four ABIs: native.sh FOLDER [CARGO-OPTION...]. The folder gets
# ABI/libcountersign_sdk_ffi.so, the layout of Gradle's `jniLibs`. Prints the size of each library, and fails
# if a 64-bit library cannot be loaded on devices with 16 KB pages.
#
# Requires Rust's four targets, cargo-ndk 4 and the NDK, which ANDROID_NDK_HOME or ANDROID_HOME points to:
#   rustup target add aarch64-linux-android armv7-linux-androideabi x86_64-linux-android i686-linux-android
#   cargo install cargo-ndk --version 4.1.2 --locked
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/../../.."

# NDK r28 and later align 64-bit libraries to 16 KB by default; older versions need an option.
align="-C link-arg=-Wl,-z,max-page-size=16384"
CARGO_TARGET_AARCH64_LINUX_ANDROID_RUSTFLAGS=$align \
    CARGO_TARGET_X86_64_LINUX_ANDROID_RUSTFLAGS=$align \
    cargo ndk --platform 23 -t arm64-v8a -t armeabi-v7a -t x86_64 -t x86 -o "$folder" \
    build -p countersign-sdk-ffi --lib --profile sdk "$@"
for library in "$folder"/*/libcountersign_sdk_ffi.so; do
    echo "$library: $(wc -c <"$library") bytes, $(gzip -9 -c "$library" | wc -c) compressed"
done
# The last column of a loaded segment is its alignment.
for library in "$folder"/arm64-v8a/*.so "$folder"/x86_64/*.so; do
    readelf -lW "$library" | awk -v name="$library" '
        $1 == "LOAD" { found = 1; if (strtonum($NF) % 16384) { print name ": is aligned to " $NF; exit 1 } }
        END { if (!found) exit 1 }'
done
