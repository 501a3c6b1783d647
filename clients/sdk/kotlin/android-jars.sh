#!/usr/bin/env bash
# Fetches what svc-android is compiled against and run on: AndroidX as one JAR, and Robolectric's Android
# of API 23 and 34. Usage: android-jars.sh FOLDER [MAVEN-OPTION...]. The folder gets `androidx.jar` and
# `robolectric/`. Versions are pinned here, and nothing else is fetched.
set -euo pipefail
folder=$1
shift
mkdir -p "$folder/robolectric"
folder=$(cd "$folder" && pwd)

# copy ARTIFACT NAME MAVEN-OPTION...: fetches group:artifact:version:type.
copy() {
    local artifact=$1
    shift
    mvn -q -B -ntp "$@" org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
        -Dartifact="$artifact" -DoutputDirectory="$out" -Dmdep.useBaseVersion=true
}

# The test libraries are dependencies of Robolectric, which come as AARs too.
out=$folder/aar
for artifact in \
    androidx.activity:activity:1.13.0 \
    androidx.core:core:1.19.1 \
    androidx.fragment:fragment:1.9.1 \
    androidx.lifecycle:lifecycle-livedata-core:2.11.0 \
    androidx.lifecycle:lifecycle-runtime-android:2.11.0 \
    androidx.lifecycle:lifecycle-viewmodel-android:2.11.0 \
    androidx.lifecycle:lifecycle-viewmodel-savedstate-android:2.11.0 \
    androidx.loader:loader:1.1.0 \
    androidx.savedstate:savedstate-android:1.4.0 \
    androidx.test:monitor:1.8.0 \
    androidx.test.espresso:espresso-idling-resource:3.7.0; do
    copy "$artifact:aar" "$@"
done
out=$folder/robolectric
for artifact in \
    org.robolectric:android-all-instrumented:6.0.1_r3-robolectric-r1-i7 \
    org.robolectric:android-all-instrumented:14-robolectric-10818077-i7; do
    copy "$artifact:jar" "$@"
done

classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
for aar in "$folder"/aar/*.aar; do
    unzip -q -o "$aar" classes.jar -d "$classes"
    (cd "$classes" && unzip -q -o classes.jar && rm classes.jar)
done
rm -rf "$classes/META-INF"
(cd "$classes" && jar cf "$folder/androidx.jar" .)
