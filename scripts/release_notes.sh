#!/usr/bin/env bash
# Prints the notes of a release from CHANGELOG.md: release_notes.sh v1.2.3. Fails if the workspace has a
# different version, or if a changelog has no section for the release.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
if [ "$1" != "v$version" ]; then
    echo "the tag is $1, but Cargo.toml has version $version" >&2
    exit 1
fi
notes=$(awk -v heading="## [$version] - " '
    index($0, "## ") == 1 { inside = index($0, heading) == 1; next }
    inside' CHANGELOG.md)
if [ -z "${notes//[[:space:]]/}" ]; then
    echo "CHANGELOG.md has no section \`## [$version] - YYYY-MM-DD\`" >&2
    exit 1
fi
for changelog in clients/*/CHANGELOG.md; do
    if ! grep -q "^## \[$version\] - " "$changelog"; then
        echo "$changelog has no section \`## [$version] - YYYY-MM-DD\`" >&2
        exit 1
    fi
done
echo "$notes"
