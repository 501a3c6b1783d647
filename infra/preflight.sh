# Sourced by deploy.sh: what can be known before a deployment from the account itself, through the
# `aws` command where there is one. Uses `parameter`, `fail`, $name, $stack, $region and $profile of
# deploy.sh.

# The defaults of infra/template.yaml, and the functions that ReservedConcurrency applies to.
default_concurrency=2
reserving_functions=8
# Lambda keeps so many executions of every account unreserved.
never_reserved=100

# ask COMMAND...: what the account answers, as text; fails where it cannot be asked.
ask() {
    command -v aws >/dev/null || return 1
    aws "$@" ${profile:+--profile "$profile"} --region "$region" --output text
}

# Says what the account's limit of concurrent executions means for this environment, and stops a
# deployment that Lambda would refuse for it.
check_concurrency() {
    local limit first retries reserved rest
    first=$(parameter FirstAttemptsConcurrency || echo "$default_concurrency")
    retries=$(parameter RetriesConcurrency || echo "$default_concurrency")
    reserved=$(parameter ReservedConcurrency || echo 0)
    if limit=$(ask lambda get-account-settings --query AccountLimit.ConcurrentExecutions 2>/dev/null) &&
        [[ $limit =~ ^[0-9]+$ ]]; then
        echo "This account runs $limit functions at once in $region."
    else
        limit=10
        echo "The account's limit of concurrent executions is not known (no aws command, or no right" \
            "to lambda:GetAccountSettings). Assuming that of a new account, $limit."
    fi
    rest=$((limit - first - retries))
    echo "Dispatchers take up to $first for first attempts and $retries for retries, which leaves $rest" \
        "for requests, texts and everything else in the account."
    if [ "$rest" -lt 6 ]; then
        echo "That is little: callers will be throttled. Lower FirstAttemptsConcurrency and" \
            "RetriesConcurrency (2 is the least), or ask for more under Service Quotas, Lambda," \
            "concurrent executions."
    elif [ "$limit" -lt 100 ]; then
        echo "Before production ask for more under Service Quotas, Lambda, concurrent executions."
    fi
    if [ "$reserved" -gt 0 ] && [ $((limit - reserving_functions * reserved)) -lt "$never_reserved" ]; then
        fail "Lambda would refuse ReservedConcurrency=$reserved: for $reserving_functions functions that is" \
            "$((reserving_functions * reserved)), and $never_reserved of $limit must stay unreserved." \
            "Set ReservedConcurrency=0 in infra/environments/$name.toml, or ask for a higher limit."
    fi
}

# Stops a deployment that would have webhooks signed with a key that receivers have never seen: one
# that is not among the published ones, or a new one of the stack's after another was in use.
check_signing_key() {
    local wanted signing deployed published refusal
    wanted=$(parameter SigningKeyArn) || return 0
    if ! refusal=$(stack_value StackName 2>&1 >/dev/null); then
        case "$refusal" in
            *"does not exist"*) ;;
            *)
                echo "$stack cannot be asked what it signs with (no aws command, or no right to" \
                    "cloudformation:DescribeStacks), so SigningKeyArn is not checked."
                ;;
        esac
        return 0
    fi
    signing=$(stack_value "Outputs[?OutputKey=='SigningKeyArn'].OutputValue | [0]")
    deployed=$(stack_value "Parameters[?ParameterKey=='SigningKeyArn'].ParameterValue | [0]")
    published=$(stack_value "Parameters[?ParameterKey=='PublishedKeyArns'].ParameterValue | [0]")
    if [ "$wanted" = "$deployed" ] || [ "$wanted" = "$signing" ]; then
        return 0
    elif [ -z "$wanted" ]; then
        fail "infra/environments/$name.toml sets SigningKeyArn to nothing, but $stack signs with" \
            "$signing. Deploying it would make another key that no receiver knows." \
            "Write that ARN into the file, or leave SigningKeyArn out of it."
    fi
    case ",$published," in
        *",$wanted,"*) ;;
        *)
            fail "$stack would sign with $wanted," \
                "which it has not published, so receivers would refuse its webhooks." \
                "Add it to PublishedKeyArns and deploy first; see docs/operations.md, signing keys."
            ;;
    esac
}

# stack_value QUERY: a value of the deployed stack, empty where it has none.
stack_value() {
    local value
    value=$(ask cloudformation describe-stacks --stack-name "$stack" --query "Stacks[0].$1") || return 1
    [ "$value" = None ] || printf '%s\n' "$value"
}
