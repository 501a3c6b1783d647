# Parses every shell script, and runs the tests of the scripts and checks.
. "$(dirname "$0")/../common.sh"
. "$root/scripts/setup/venv.sh"

for script in .ci/run scripts/*.sh scripts/setup/*.sh scripts/check/*.sh infra/*.sh clients/sdk/kotlin/*.sh; do
    bash -n "$script"
done
python=python3
if pinned_venv lint-tools "tests of the check of modules"; then python=$tools/lint-tools/bin/python; fi
for folder in scripts scripts/check scripts/results; do
    "$python" -m unittest discover --quiet --start-directory "$folder" --pattern 'test_*.py'
done
