#!/usr/bin/env bash
# Fetches the libraries with which the Android modules are compiled and run: AndroidX as one JAR, and
# Robolectric's Android for API 23 and 34. Usage: android-jars.sh FOLDER [MAVEN-OPTION...]. The folder gets
# `androidx.jar` and `robolectric/`. Versions are pinned here, and nothing else is fetched. Does nothing if
# this version of the script has already filled the folder.
set -euo pipefail

# group:artifact:version. The libraries of androidx.test are dependencies of Robolectric.
aars="
    androidx.activity:activity:1.13.0
    androidx.activity:activity-compose:1.13.0
    androidx.arch.core:core-runtime:2.2.0
    androidx.compose.animation:animation-android:1.12.1
    androidx.compose.animation:animation-core-android:1.12.1
    androidx.compose.foundation:foundation-android:1.12.1
    androidx.compose.foundation:foundation-layout-android:1.12.1
    androidx.compose.material:material-android:1.12.1
    androidx.compose.material:material-ripple-android:1.12.1
    androidx.compose.runtime:runtime-android:1.12.1
    androidx.compose.runtime:runtime-annotation-android:1.12.1
    androidx.compose.runtime:runtime-saveable-android:1.12.1
    androidx.compose.ui:ui-android:1.12.1
    androidx.compose.ui:ui-geometry-android:1.12.1
    androidx.compose.ui:ui-graphics-android:1.12.1
    androidx.compose.ui:ui-text-android:1.12.1
    androidx.compose.ui:ui-unit-android:1.12.1
    androidx.compose.ui:ui-util-android:1.12.1
    androidx.core:core:1.19.1
    androidx.core:core-viewtree:1.0.0
    androidx.customview:customview:1.1.0
    androidx.fragment:fragment:1.9.1
    androidx.lifecycle:lifecycle-livedata-core:2.11.0
    androidx.lifecycle:lifecycle-runtime-android:2.11.0
    androidx.lifecycle:lifecycle-runtime-compose-android:2.11.0
    androidx.lifecycle:lifecycle-viewmodel-android:2.11.0
    androidx.lifecycle:lifecycle-viewmodel-savedstate-android:2.11.0
    androidx.loader:loader:1.1.0
    androidx.navigationevent:navigationevent-android:1.0.2
    androidx.profileinstaller:profileinstaller:1.4.0
    androidx.savedstate:savedstate-android:1.4.0
    androidx.test:monitor:1.8.0
    androidx.test.espresso:espresso-idling-resource:3.7.0
    androidx.tracing:tracing-android:2.0.0
"
robolectric="
    org.robolectric:android-all-instrumented:6.0.1_r3-robolectric-r1-i7
    org.robolectric:android-all-instrumented:14-robolectric-10818077-i7
"

script=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
cmp -s "$script" "$folder/filled-by" && exit 0
rm -rf "$folder/filled-by" "$folder/aar"

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

# items TYPE FOLDER ARTIFACT...: prints the items that one Maven run copies.
items() {
    local type=$1 out=$2 artifact group name version
    shift 2
    for artifact; do
        IFS=: read -r group name version <<<"$artifact"
        echo "<artifactItem><groupId>$group</groupId><artifactId>$name</artifactId><version>$version</version>" \
            "<type>$type</type><outputDirectory>$out</outputDirectory></artifactItem>"
    done
}
{
    echo '<project><modelVersion>4.0.0</modelVersion><groupId>dev.countersign.build</groupId>'
    echo '<artifactId>android-jars</artifactId><version>1</version><packaging>pom</packaging><build><plugins>'
    echo '<plugin><artifactId>maven-dependency-plugin</artifactId><version>3.8.1</version>'
    echo '<configuration><useBaseVersion>true</useBaseVersion><artifactItems>'
    # shellcheck disable=SC2086 # Lists of words.
    items aar "$folder/aar" $aars
    # shellcheck disable=SC2086
    items jar "$folder/robolectric" $robolectric
    echo '</artifactItems></configuration></plugin></plugins></build></project>'
} >"$temporary/pom.xml"
mvn -q -B -ntp -f "$temporary/pom.xml" "$@" dependency:copy

# Android's build generates a library's R classes from its R.txt, where every number is 0: one number for each
# name, which is the same in all libraries.
classes=$temporary/classes
for aar in "$folder"/aar/*.aar; do
    unzip -q -o "$aar" classes.jar AndroidManifest.xml R.txt -d "$classes" || [ $? = 11 ]
    (cd "$classes" && unzip -q -o classes.jar && rm classes.jar)
    package=$(sed -n 's/.*package="\([^"]*\)".*/\1/p' "$classes/AndroidManifest.xml")
    if [ -s "$classes/R.txt" ]; then sed "s/^/$package /" "$classes/R.txt"; fi
    rm -f "$classes/R.txt" "$classes/AndroidManifest.xml"
done | sort -u >"$temporary/R.txt"
mkdir "$temporary/R"
awk -v out="$temporary/R" '
    function close_class() { if (class != "") print "}" > file }
    function close_package() { close_class(); if (package != "") { print "}" > file; close(file) } }
    $1 != package {
        close_package(); package = $1; class = ""; file = out "/" (++files) ".java"
        print "package " package ";\npublic final class R {" > file
    }
    $3 != class { close_class(); class = $3; print "public static final class " class " {" > file }
    {
        value = substr($0, index($0, $5))
        if ($2 == "int" && value == "0x0") {
            if (!(($3, $4) in numbers)) numbers[$3, $4] = 2130706432 + ++used
            value = numbers[$3, $4]
        }
        print "public static " $2 " " $4 " = " value ";" > file
    }
    END { close_package() }
' <(sort -k1,1 -k3,3 "$temporary/R.txt")
for source in "$temporary"/R/*.java; do
    mkdir "$temporary/one"
    mv "$source" "$temporary/one/R.java"
    javac -nowarn --release 8 -Xlint:-options -d "$classes" "$temporary/one/R.java"
    rm -r "$temporary/one"
done
# The compiler uses the `kotlin_module` files to find functions outside classes.
find "$classes/META-INF" -type f ! -name '*.kotlin_module' -delete
(cd "$classes" && jar cf "$folder/androidx.jar" .)
cp "$script" "$folder/filled-by"
