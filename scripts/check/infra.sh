# Checks the templates and the Terraform module, with linters and with our own rules for what linters cannot
# check (infra/rules). Does not call AWS.
. "$(dirname "$0")/../common.sh"
. "$root/scripts/setup/aws.sh"

template=infra/template.yaml
expanded=$logs/template.expanded.json
canary=$logs/template.canary.json
export SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=eu-central-1
failed=

# step NAME COMMAND...: runs a step. A failed step does not stop the others.
step() {
    local name=$1
    shift
    echo "-- $name"
    "$@" || failed="$failed, $name"
}

# Rules of cfn-lint-serverless that would do harm here, or that misjudge the template:
# ES1001, ES6000: the queue has its own redrive policy, and dead-letter queues need none.
# ES4000: the next sweep replaces one that could not be invoked.
# ES7000: mail to an operator cannot go to a dead-letter queue.
# ES2000: does not recognize an optional access log. Our own rules check both stages.
# WS1004, ES1007: do not recognize the group in LoggingConfig and the configuration of an alias.
# WS1000: there is no tracing (docs/alarms.md, logs and metrics).
serverless="ES1001 ES6000 ES4000 ES7000 ES2000 WS1004 ES1007 WS1000"
# Does not recognize that parameters with an empty default are behind conditions.
conditions="W1030"
# The transform has already resolved the parameter and the map of rollouts.
used_up="W2001 W7001"

# The regions named by the refusal of other regions in infra/preflight.sh.
regions="eu-central-1 eu-west-1 us-east-1 ap-southeast-2"

setup_aws_tools
if [ -n "${COUNTERSIGN_AWS_TOOLS:-}" ]; then
    bin=$COUNTERSIGN_AWS_TOOLS/bin
    export PYTHONDONTWRITEBYTECODE=1
    step "sam validate" "$bin/sam" validate --lint --template "$template"
    step "cfn-lint" "$bin/cfn-lint" --template "$template" infra/monitoring.yaml --regions $regions \
        --append-rules cfn_lint_serverless.rules --ignore-checks $serverless $conditions
    step "cfn-lint, edge" env AWS_DEFAULT_REGION=us-east-1 "$bin/cfn-lint" --template infra/edge.yaml
    step "cfn-lint, deployer" "$bin/cfn-lint" --template infra/deployer.yaml --regions $regions
    step "cfn-lint, console" "$bin/cfn-lint" --template infra/console.yaml --regions $regions
    step "expand" "$bin/python" infra/rules/check.py expand "$expanded"
    step "cfn-lint, expanded" "$bin/cfn-lint" --template "$expanded" --regions $regions \
        --append-rules cfn_lint_serverless.rules --ignore-checks $serverless $conditions $used_up
    step "expand, with a canary" "$bin/python" infra/rules/check.py expand "$canary" \
        Rollout=Canary10Percent5Minutes
    step "cfn-lint, with a canary" "$bin/cfn-lint" --template "$canary" \
        --ignore-checks $conditions $used_up
    step "our own rules" "$bin/python" infra/rules/check.py
    step "tests of our rules" "$bin/python" -m unittest discover --quiet --start-directory infra/rules
fi

setup_checkov
if [ -n "${COUNTERSIGN_CHECKOV:-}" ]; then
    checkov() {
        quietly checkov.log "$COUNTERSIGN_CHECKOV" --config-file infra/checkov.yaml \
            --skip-download --compact --quiet "$@"
    }
    step "checkov, edge" checkov --framework cloudformation --file infra/edge.yaml
    step "checkov, deployer" checkov --framework cloudformation --file infra/deployer.yaml
    step "checkov, console" checkov --framework cloudformation --file infra/console.yaml
    if [ -f "$expanded" ]; then
        step "checkov, template" checkov --framework cloudformation --file "$expanded"
    fi
    step "checkov, Terraform" checkov --framework terraform --directory infra/terraform
fi

# `terraform fmt` formats like hclfmt.
if command -v terraform >/dev/null; then
    step "terraform fmt" quietly terraform-fmt.log terraform fmt -check -diff -recursive infra/terraform
elif command -v tofu >/dev/null; then
    step "tofu fmt" quietly terraform-fmt.log tofu fmt -check -diff -recursive infra/terraform
elif command -v go >/dev/null && { [ -x "$tools/go/hclfmt" ] || GOBIN=$tools/go quietly hclfmt.log \
    go install github.com/hashicorp/hcl/v2/cmd/hclfmt@v2.25.0; }; then
    step "hclfmt" quietly hclfmt.log "$tools/go/hclfmt" -require-no-change infra/terraform/*.tf infra/terraform/console/*.tf
else
    skip "the format of infra/terraform" "no terraform, tofu or go"
fi

if [ -n "$failed" ]; then
    echo "infrastructure: FAILED:${failed#,}"
    exit 1
fi
