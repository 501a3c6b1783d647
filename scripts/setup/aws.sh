# Sets up tools for AWS in .tools/, for test.sh and the check of the infrastructure, which source this file.
# A tool that cannot be set up is reported as skipped.
#   setup_aws_tools       exports COUNTERSIGN_AWS_TOOLS (a virtual environment: bin/sam,
#                         bin/cargo-lambda, bin/cfn-lint, bin/pytest, bin/python), and
#                         COUNTERSIGN_AWS_PYTHON and COUNTERSIGN_MINISTACK, which are in it
#   setup_checkov         exports COUNTERSIGN_CHECKOV
#   setup_dynamodb_local  exports COUNTERSIGN_DYNAMODB_LOCAL (a folder of jars)

. "$root/scripts/setup/venv.sh"

setup_aws_tools() {
    local venv=$tools/aws-tools
    if pinned_venv aws-tools "tests of what is deployed to AWS"; then
        export COUNTERSIGN_AWS_TOOLS=$venv
        export COUNTERSIGN_AWS_PYTHON=$venv/bin/python
        export COUNTERSIGN_MINISTACK=$venv/bin/ministack
    fi
}

setup_checkov() {
    if pinned_venv aws-checkov "checkov over the infrastructure"; then
        export COUNTERSIGN_CHECKOV=$tools/aws-checkov/bin/checkov
    fi
}

# Accepts only the jars in sha256sums. To update that file after a change of pom.xml:
#   mvn ...:copy-dependencies as below, then in that folder: sha256sum * >.../sha256sums
setup_dynamodb_local() {
    local what="the store on DynamoDB Local" jars=$tools/dynamodb-local key
    local setup=$root/scripts/setup/dynamodb-local
    if ! command -v java >/dev/null || ! java -version >/dev/null 2>&1; then
        skip "$what" "no java"
        return 0
    fi
    key=$(cat "$setup/pom.xml" "$setup/sha256sums" | hash_stdin)
    if ! stamped dynamodb-local "$key" || ! [ -d "$jars" ]; then
        if ! command -v mvn >/dev/null; then
            skip "$what" "no mvn to fetch it with"
            return 0
        fi
        echo "setting up $jars"
        rm -rf "$jars"
        if ! quietly dynamodb-local.log mvn -B -ntp -f "$setup/pom.xml" \
            org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
            -DincludeScope=runtime "-DoutputDirectory=$jars"; then
            skip "$what" "mvn could not fetch it"
            return 0
        fi
        if ! (cd "$jars" && quietly dynamodb-local-sums.log check_sums "$setup/sha256sums"); then
            rm -rf "$jars"
            echo "the jars of DynamoDB Local do not match scripts/setup/dynamodb-local/sha256sums" >&2
            return 1
        fi
        stamp dynamodb-local "$key"
    fi
    export COUNTERSIGN_DYNAMODB_LOCAL=$jars
}

check_sums() {
    if command -v sha256sum >/dev/null; then sha256sum -c "$1"; else shasum -a 256 -c "$1"; fi
}
