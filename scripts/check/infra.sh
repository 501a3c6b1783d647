# Checks what is deployed to AWS, the template and Terraform's module, with linters and with our own
# rules for what no linter sees (infra/rules). Nothing here calls AWS.
. "$(dirname "$0")/../common.sh"
. "$root/scripts/setup/aws.sh"

template=infra/template.yaml
expanded=$logs/template.expanded.json
canary=$logs/template.canary.json
export SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=eu-central-1
failed=

# step NAME COMMAND...: all run, even after one has failed.
step() {
    local name=$1
    shift
    echo "-- $name"
    "$@" || failed="$failed, $name"
}

# Rules of cfn-lint-serverless that ask for what would do harm here, or that it sees wrongly:
# ES1001, ES6000: a queue's own redrive policy is what counts; dead-letter queues end there.
# ES4000: the next sweep makes up for one that could not be called.
# ES7000: mail to an operator has nowhere to be kept.
# ES2000: it takes a log that is written on request for none; our own rules ask after both stages.
# WS1004, ES1007: it doesn't see the group in LoggingConfig, nor the configuration of an alias.
serverless="ES1001 ES6000 ES4000 ES7000 ES2000 WS1004 ES1007"
# It does not see that parameters whose default is empty stand behind conditions.
conditions="W1030"
# The transform has used up the parameter and the map of rollouts.
used_up="W2001 W7001"

setup_aws_tools
if [ -n "${COUNTERSIGN_AWS_TOOLS:-}" ]; then
    bin=$COUNTERSIGN_AWS_TOOLS/bin
    export PYTHONDONTWRITEBYTECODE=1
    step "sam validate" "$bin/sam" validate --lint --template "$template"
    step "cfn-lint" "$bin/cfn-lint" --template "$template" \
        --append-rules cfn_lint_serverless.rules --ignore-checks $serverless $conditions
    step "expand" "$bin/python" infra/rules/check.py expand "$expanded"
    step "cfn-lint, expanded" "$bin/cfn-lint" --template "$expanded" \
        --append-rules cfn_lint_serverless.rules --ignore-checks $serverless $conditions $used_up
    step "expand, with a canary" "$bin/python" infra/rules/check.py expand "$canary" \
        Rollout=Canary10Percent5Minutes
    step "cfn-lint, with a canary" "$bin/cfn-lint" --template "$canary" \
        --ignore-checks $conditions $used_up
    step "rules of our own" "$bin/python" infra/rules/check.py
    step "the rules bite" "$bin/python" -m unittest discover --quiet --start-directory infra/rules
fi

setup_checkov
if [ -n "${COUNTERSIGN_CHECKOV:-}" ]; then
    checkov() {
        quietly checkov.log "$COUNTERSIGN_CHECKOV" --config-file infra/checkov.yaml \
            --skip-download --compact --quiet "$@"
    }
    if [ -f "$expanded" ]; then
        step "checkov, template" checkov --framework cloudformation --file "$expanded"
    fi
    step "checkov, Terraform" checkov --framework terraform --directory infra/terraform
fi

# hclfmt is what `terraform fmt` formats with.
if command -v terraform >/dev/null; then
    step "terraform fmt" quietly terraform-fmt.log terraform fmt -check -diff infra/terraform
elif command -v tofu >/dev/null; then
    step "tofu fmt" quietly terraform-fmt.log tofu fmt -check -diff infra/terraform
elif command -v go >/dev/null && { [ -x "$tools/go/hclfmt" ] || GOBIN=$tools/go quietly hclfmt.log \
    go install github.com/hashicorp/hcl/v2/cmd/hclfmt@v2.25.0; }; then
    step "hclfmt" quietly hclfmt.log "$tools/go/hclfmt" -require-no-change infra/terraform/*.tf
else
    skip "the format of infra/terraform" "no terraform, tofu or go"
fi

if [ -n "$failed" ]; then
    echo "infrastructure: FAILED:${failed#,}"
    exit 1
fi
