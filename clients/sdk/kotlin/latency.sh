#!/usr/bin/env bash
# Measures initializeQrSession with `countersign serve` on this machine. Run bindings.sh and `mvn
# test-compile` first. Options go to the JVM; `-Dcountersign.bin` and `-Djna.library.path` are the built
# command and the folder of the native library.
set -euo pipefail
cd "$(dirname "$0")/svc-core"
exec java -Dcountersign.bin=../../../../target/debug/countersign -Djna.library.path=../../../../target/debug \
    "$@" -cp "target/classes:target/test-classes:$(cat target/classpath)" dev.countersign.sdk.LatencyKt
