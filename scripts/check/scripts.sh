# Parses every shell script, and runs the tests of the scripts and checks.
for script in .ci/run scripts/*.sh scripts/setup/*.sh scripts/check/*.sh infra/*.sh clients/sdk/kotlin/*.sh; do
    bash -n "$script"
done
for folder in scripts scripts/check scripts/results; do
    python3 -m unittest discover --quiet --start-directory "$folder" --pattern 'test_*.py'
done
