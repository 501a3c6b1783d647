# Checks of the AWS account before a deployment, sourced by deploy.sh. They use the `aws` command if it is
# installed, and `parameter`, `fail`, $name, $stack, $region and $profile from deploy.sh.

# The default of both concurrency parameters in infra/template.yaml, and the number of functions that
# ReservedConcurrency applies to.
default_concurrency=2
reserving_functions=11
# Executions that Lambda keeps unreserved in every account.
never_reserved=100

# Regions in which CloudFormation lacks a type that the template uses, and refuses the template even if no resource
# has this type.
without_budgets="af-south-1 ap-east-1 ap-east-2 ap-northeast-3 ap-south-2 ap-southeast-3 ap-southeast-4 ap-southeast-5
    ap-southeast-6 ap-southeast-7 ca-west-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2 il-central-1 me-central-1
    mx-central-1 us-gov-east-1 us-gov-west-1"
without_numbers="ap-east-1 ap-southeast-5 ap-southeast-7 cn-north-1 cn-northwest-1"

# Stops a deployment to a region in which CloudFormation would refuse the template.
check_region() {
    local lacking=
    if [[ " $without_budgets " = *[[:space:]]"$region"[[:space:]]* ]]; then
        lacking="budgets (AWS::Budgets::Budget)"
    fi
    if [[ " $without_numbers " = *[[:space:]]"$region"[[:space:]]* ]]; then
        lacking="${lacking:+$lacking and }numbers for texts (AWS::SMSVOICE::PhoneNumber)"
    fi
    if [ -n "$lacking" ]; then
        fail "CloudFormation has no $lacking in $region, and would refuse the template." \
            "Choose another region, such as eu-central-1, eu-west-1, us-east-1 or ap-southeast-2."
    fi
}

# Stops a deployment that CloudFormation would refuse because of the loops in the nested stack.
check_capabilities() {
    if ! settings | grep -q CAPABILITY_AUTO_EXPAND; then
        fail "infra/environments/$name.toml must say" \
            'capabilities = "CAPABILITY_NAMED_IAM CAPABILITY_AUTO_EXPAND", as example.toml does.'
    fi
}

# ask COMMAND...: prints the answer of an `aws` command as text. Fails if `aws` is not installed or has no
# permission.
ask() {
    command -v aws >/dev/null || return 1
    aws "$@" ${profile:+--profile "$profile"} --region "$region" --output text
}

# Prints the consequences of the account's concurrency limit for this environment. Stops a deployment that
# Lambda would refuse because of the limit.
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
        echo "The account's limit of concurrent executions is unknown (no aws command, or no permission" \
            "for lambda:GetAccountSettings). Assuming that of a new account, $limit."
    fi
    rest=$((limit - first - retries))
    echo "Dispatchers take up to $first for first attempts and $retries for retries, which leaves $rest" \
        "for requests, texts and everything else in the account."
    if [ "$rest" -lt 6 ]; then
        echo "That is little: callers will be throttled. Lower FirstAttemptsConcurrency and" \
            "RetriesConcurrency (the minimum is 2), or request more under Service Quotas, Lambda," \
            "concurrent executions."
    elif [ "$limit" -lt 100 ]; then
        echo "Before production, request more under Service Quotas, Lambda, concurrent executions."
    fi
    if [ "$reserved" -gt 0 ] && [ $((limit - reserving_functions * reserved)) -lt "$never_reserved" ]; then
        fail "Lambda would refuse ReservedConcurrency=$reserved: for $reserving_functions functions that is" \
            "$((reserving_functions * reserved)), and $never_reserved of $limit must stay unreserved." \
            "Set ReservedConcurrency=0 in infra/environments/$name.toml, or request a higher limit."
    fi
}

# Stops a deployment that would put the stack on a table that does not exist, or on a new table in place of
# the given one.
check_table() {
    local wanted deployed refusal
    wanted=$(parameter ExistingTableName) || return 0
    if [ -n "$wanted" ]; then
        if ! refusal=$(ask dynamodb describe-table --table-name "$wanted" --query Table.TableStatus 2>&1) &&
            [[ $refusal = *ResourceNotFound* ]]; then
            fail "infra/environments/$name.toml names the table $wanted, which does not exist in $region."
        fi
        return 0
    fi
    deployed=$(stack_value "Parameters[?ParameterKey=='ExistingTableName'].ParameterValue | [0]" 2>/dev/null) ||
        return 0
    if [ -n "$deployed" ]; then
        fail "infra/environments/$name.toml sets an empty ExistingTableName, but $stack uses $deployed." \
            "The deployment would create another table, without any app, key or session." \
            "Write the name of the table that you want into the file."
    fi
}

# Stops a deployment that would sign webhooks with a key that receivers have never seen: a key that is not
# published, or a new key of the stack although it already signs with another one.
check_signing_key() {
    local wanted signing deployed published refusal
    wanted=$(parameter SigningKeyArn) || return 0
    if ! refusal=$(stack_value StackName 2>&1 >/dev/null); then
        case "$refusal" in
            *"does not exist"*) ;;
            *)
                echo "The signing key of $stack is unknown (no aws command, or no permission for" \
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
        fail "infra/environments/$name.toml sets an empty SigningKeyArn, but $stack signs with" \
            "$signing. The deployment would create another key, which no receiver knows." \
            "Write that ARN into the file, or remove SigningKeyArn from it."
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

# Stops a deployment that would sign with a local key whose public key was never published.
check_local_key() {
    local wanted deployed public published
    wanted=$(parameter LocalKey) || return 0
    # A stack that does not exist yet has no keys.
    deployed=$(stack_value "Parameters[?ParameterKey=='LocalKey'].ParameterValue | [0]" 2>/dev/null) || return 0
    if [ -z "$wanted" ] || [ "$wanted" = "$deployed" ]; then
        return 0
    fi
    public=$(parameter LocalPublicKeys || true)
    published=$(stack_value "Parameters[?ParameterKey=='LocalPublicKeys'].ParameterValue | [0]")
    case ",$published," in
        *",${public%%,*},"*) ;;
        *)
            fail "$stack would sign with a LocalKey whose public key it has not published, so receivers would" \
                "refuse its webhooks. Put it into LocalPublicKeys and deploy first; see docs/operations.md," \
                "sign without calling KMS."
            ;;
    esac
}

# stack_value QUERY: prints a value of the deployed stack, or nothing if there is no stack.
stack_value() {
    local value
    value=$(ask cloudformation describe-stacks --stack-name "$stack" --query "Stacks[0].$1") || return 1
    [ "$value" = None ] || printf '%s\n' "$value"
}
