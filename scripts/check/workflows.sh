# Checks the hosted workflows, the container image, the compose files and GitHub's configuration files.
. "$(dirname "$0")/../common.sh"
. "$root/scripts/setup/venv.sh"

failed=
step() {
    local name=$1
    shift
    quietly "lint-${name%% *}.log" "$@" || failed="$failed, $name"
}

if pinned_venv lint-tools "lints of workflows and container image"; then
    bin=$tools/lint-tools/bin
    step "zizmor" "$bin/zizmor" --offline --no-progress --quiet .github
    step "hadolint" "$bin/hadolint" Dockerfile
    step "compose.yaml" "$bin/check-jsonschema" --builtin-schema vendor.compose-spec compose.yaml \
        tests/openid/suite/compose.yaml
    step "dependabot.yml" "$bin/check-jsonschema" \
        --builtin-schema vendor.dependabot .github/dependabot.yml
    step "issue forms" "$bin/check-jsonschema" \
        --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
fi

if command -v go >/dev/null && { [ -x "$tools/go/actionlint" ] || GOBIN=$tools/go \
    quietly actionlint-install.log go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.7; }; then
    step "actionlint" "$tools/go/actionlint"
else
    skip "actionlint" "no go"
fi

if [ -n "$failed" ]; then
    echo "workflows: FAILED:${failed#,}"
    exit 1
fi
