#!/usr/bin/env bash
# Fuzzes all targets, or those named, each for FUZZ_SECONDS: scripts/fuzz.sh [TARGET...]. Fetches cargo-fuzz. It
# needs a nightly compiler, and reports the tests as skipped without one. New inputs go to .tools/fuzz, and
# inputs that violate a property to fuzz/artifacts.
. "$(dirname "$0")/common.sh"

version=0.13.2
seconds=${FUZZ_SECONDS:-60}
case "$seconds" in
    '' | *[!0-9]*)
        echo "FUZZ_SECONDS must be a whole number of seconds" >&2
        exit 1
        ;;
esac

all=$(cd fuzz/fuzz_targets && ls | sed 's/\.rs$//')
for name in "$@"; do
    if [ ! -f "fuzz/fuzz_targets/$name.rs" ]; then
        echo "there is no target called $name; there are:" $all >&2
        exit 1
    fi
done

# The compiler in fuzz/rust-toolchain.toml. If the toolchain is selected with `+`, rustup installs nothing.
nightly=nightly
if ! command -v rustup >/dev/null || ! rustup toolchain list | grep -q "^$nightly"; then
    skip "fuzzing" "no nightly compiler; rustup toolchain install $nightly --profile minimal"
    exit 0
fi
if ! command -v c++ >/dev/null && ! apt_install g++; then
    skip "fuzzing" "no C++ compiler, which libFuzzer is built with"
    exit 0
fi

fuzzer=$tools/cargo-fuzz
if ! stamped cargo-fuzz "$version"; then
    phase "install cargo-fuzz $version"
    quietly cargo-fuzz.log cargo install cargo-fuzz --version "=$version" --locked --root "$fuzzer"
    stamp cargo-fuzz "$version"
fi
export PATH=$fuzzer/bin:$PATH
# Also if an outer cargo has set a different one.
export RUSTUP_TOOLCHAIN=$nightly

cd fuzz
# Each run builds its own target.
if [ $# -eq 0 ]; then
    phase "build the targets"
    cargo fuzz build
fi

failed=
for name in ${@:-$all}; do
    phase "$name"
    mkdir -p "$tools/fuzz/$name"
    # The first folder receives new inputs; those in the tree are only read.
    cargo fuzz run "$name" "$tools/fuzz/$name" "corpus/$name" -- \
        -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 || failed="$failed $name"
done
phase ""

if [ -n "$failed" ]; then
    echo "fuzzing: FAILED:$failed; the inputs are in fuzz/artifacts"
    exit 1
fi
echo "fuzzing: ok"
