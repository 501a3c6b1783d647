# Checks that every relative link in Markdown leads to a file of the repository, and to a heading in it, and that the
# README leads to every page.
. "$(dirname "$0")/../common.sh"
. "$root/scripts/setup/venv.sh"

if pinned_venv lint-tools "links in Markdown"; then
    git ls-files -z '*.md' |
        xargs -0 "$tools/lint-tools/bin/lychee" --offline --include-fragments --no-progress --root-dir "$root" --mode plain
fi
python3 scripts/check/orphans.py
