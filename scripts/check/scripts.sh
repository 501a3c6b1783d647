# The scripts are whole, and the checks catch what they are there to catch.
for script in .ci/run scripts/*.sh scripts/setup/*.sh scripts/check/*.sh infra/*.sh; do
    bash -n "$script"
done
python3 -m unittest discover --quiet --start-directory scripts/check --pattern 'test_*.py'
