# Parses every shell script, and tests the checks and the scripts that count results.
for script in .ci/run scripts/*.sh scripts/setup/*.sh scripts/check/*.sh infra/*.sh; do
    bash -n "$script"
done
python3 -m unittest discover --quiet --start-directory scripts/check --pattern 'test_*.py'
python3 -m unittest discover --quiet --start-directory scripts/results --pattern 'test_*.py'
