# Checks that the modules of a crate have no circular dependencies. Its Rust parser comes from PyPI.
. "$(dirname "$0")/../common.sh"
. "$root/scripts/setup/venv.sh"

if pinned_venv lint-tools "circles of modules"; then "$tools/lint-tools/bin/python" scripts/check/circles.py; fi
