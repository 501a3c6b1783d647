#!/usr/bin/env bash
# Packs the libraries as releases carry them into dist/: scripts/pack.sh [NAME...], all of them without names.
#   node      countersign-server-VERSION.tgz, for npm
#   better_auth countersign-better-auth-VERSION.tgz, for npm: the plugin for Better Auth
#   authenticator countersign-authenticator-VERSION.tgz, for npm: a phone in JavaScript
#   widget    countersign-widget-VERSION.tgz, for npm: the elements
#   python    countersign_server-VERSION-py3-none-any.whl and countersign_server-VERSION.tar.gz
#   go        countersign-go-VERSION.zip, a module of Go
#   rust      countersign-client-VERSION.crate, a package of Cargo
#   sdk       countersign-sdk-VERSION.zip, a Maven repository: clients/sdk/kotlin/pack.sh
# COUNTERSIGN_DIST names another folder.
. "$(dirname "$0")/common.sh"
. "$root/scripts/setup/libraries.sh"
. "$root/scripts/setup/venv.sh"

dist=${COUNTERSIGN_DIST:-$root/dist}
mkdir -p "$dist"
dist=$(cd "$dist" && pwd)
version=$(workspace_version)

# pack_npm FOLDER: packs a folder of clients/.
pack_npm() {
    setup_npm "clients/$1" "packing clients/$1" || return 1
    # The package's own scripts build its contents.
    (cd "clients/$1" && quietly "pack-$1.log" npm pack --ignore-scripts=false --pack-destination "$dist")
}
pack_node() { pack_npm node; }
pack_authenticator() { pack_npm authenticator; }
pack_widget() { pack_npm widget; }
pack_better_auth() {
    setup_better_auth "packing clients/better-auth"
    if [ "$better_auth" != ready ]; then return 1; fi
    (cd clients/better-auth && quietly pack-better-auth.log npm pack --ignore-scripts=false --pack-destination "$dist")
}

# The wheel is built from the source distribution, as pip would build it.
pack_python() {
    local name=countersign_server-$version build=$tools/pack-python
    pinned_venv python-build "packing clients/python" || return 1
    rm -rf "$build"
    mkdir -p "$build"
    (cd clients/python && quietly pack-sdist.log "$tools/python-build/bin/hatchling" build -t sdist -d "$dist") || return 1
    tar -xzf "$dist/$name.tar.gz" -C "$build"
    (cd "$build/$name" && quietly pack-wheel.log "$tools/python-build/bin/hatchling" build -t wheel -d "$dist")
}

pack_go() {
    if ! command -v go >/dev/null; then
        echo "packing clients/go needs Go" >&2
        return 1
    fi
    (cd clients/go/internal/pack && go run . "$root/clients/go" "v$version" "$dist/countersign-go-$version.zip")
}

# Without a build, because the tests do that: the archive contains the sources that they compile.
pack_rust() {
    local target=$tools/pack-rust
    quietly pack-rust.log cargo package --package countersign-client --locked --allow-dirty --no-verify --target-dir "$target" || return 1
    cp "$target/package/countersign-client-$version.crate" "$dist/"
}

pack_sdk() { clients/sdk/kotlin/pack.sh "$dist"; }

all="node better_auth authenticator widget python go rust sdk"
for name in ${@:-$all}; do
    case " $all " in
    *" $name "*) ;;
    *)
        echo "there is no package called $name; there are: $all" >&2
        exit 1
        ;;
    esac
    "pack_$name"
done
