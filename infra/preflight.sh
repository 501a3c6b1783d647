# Checks of the AWS account before a deployment, sourced by deploy.sh. They use the `aws` command if it is
# installed, and `parameter`, `fail`, $name, $stack, $region and $profile from deploy.sh.

# The default of both concurrency parameters in infra/template.yaml, and the number of functions that
# ReservedConcurrency applies to. OpenId=On adds one.
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
    if [ "$(planned OpenId)" = On ]; then reserving_functions=$((reserving_functions + 1)); fi
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
    check_published "" "receiver" "receivers would refuse its webhooks" "signing keys"
}

# check_published PREFIX WHO CONSEQUENCE SECTION: the check above, for the parameters and the output that begin with a
# prefix.
check_published() {
    local wanted signing deployed published refusal key=${1}SigningKeyArn keys=${1}PublishedKeyArns
    if [ -n "$1" ]; then key=${1}KeyArn; fi
    wanted=$(parameter "$key") || return 0
    if ! refusal=$(stack_value StackName 2>&1 >/dev/null); then
        case "$refusal" in
            *"does not exist"*) ;;
            *)
                echo "The key of $stack is unknown (no aws command, or no permission for" \
                    "cloudformation:DescribeStacks), so $key is not checked."
                ;;
        esac
        return 0
    fi
    signing=$(stack_value "Outputs[?OutputKey=='$key'].OutputValue | [0]")
    deployed=$(stack_value "Parameters[?ParameterKey=='$key'].ParameterValue | [0]")
    published=$(stack_value "Parameters[?ParameterKey=='$keys'].ParameterValue | [0]")
    if [ -z "$signing" ] || [ "$wanted" = "$deployed" ] || [ "$wanted" = "$signing" ]; then
        return 0
    elif [ -z "$wanted" ]; then
        fail "infra/environments/$name.toml sets an empty $key, but $stack signs with" \
            "$signing. The deployment would create another key, which no $2 knows." \
            "Write that ARN into the file, or remove $key from it."
    fi
    case ",$published," in
        *",$wanted,"*) ;;
        *)
            fail "$stack would sign with $wanted," \
                "which it has not published, so $3." \
                "Add it to $keys and deploy first; see docs/operations.md, $4."
            ;;
    esac
}

# Stops a deployment whose OpenID provider could not sign, would sign with a key of webhooks, or would take all users for
# strangers.
check_openid() {
    local key
    if [ "$(planned OpenId)" != On ]; then return 0; fi
    check_published OpenId "client" "clients would refuse its ID tokens" "the OpenID provider"
    key=$(planned OpenIdKeyArn)
    if [ -n "$key" ]; then check_openid_key "$key"; fi
    check_openid_secret
}

# Stops a deployment whose OpenID provider would have another secret than before.
check_openid_secret() {
    local wanted used given found file=infra/environments/$name.toml
    wanted=$(planned OpenIdSecretArn)
    # Empty if the provider is off.
    used=$(stack_value "Outputs[?OutputKey=='OpenIdSecretArn'].OutputValue | [0]" 2>/dev/null || true)
    given=$(stack_value "Parameters[?ParameterKey=='OpenIdSecretArn'].ParameterValue | [0]" 2>/dev/null || true)
    if [ -n "$used" ] && [ "$wanted" != "$given" ] && [ "$wanted" != "$used" ]; then
        fail "the OpenID provider of $stack uses the secret $used." \
            "With another one, every user would be a stranger. Write it into $file: OpenIdSecretArn=$used"
    elif [ -z "$wanted$used" ] &&
        found=$(ask secretsmanager describe-secret --secret-id "$stack-openid" --query ARN 2>/dev/null); then
        fail "the secret $stack-openid was retained when the OpenID provider was last on." \
            "With another one, every user would be a stranger. Write it into $file: OpenIdSecretArn=$found"
    fi
}

# check_openid_key ARN: stops a deployment whose OpenID provider could not sign with its key.
check_openid_key() {
    local found
    if found=$(ask kms describe-key --key-id "$1" \
        --query 'join(`", "`, KeyMetadata.[KeySpec, KeyUsage, KeyState])' 2>&1); then
        if [ "$found" != "ECC_NIST_P256, SIGN_VERIFY, Enabled" ]; then
            fail "the key $1 of OpenIdKeyArn cannot sign ID tokens: it is $found," \
                "and must be ECC_NIST_P256, SIGN_VERIFY, Enabled."
        fi
    elif [[ $found = *NotFound* ]]; then
        fail "the key $1 of OpenIdKeyArn does not exist in $region."
    else
        echo "OpenIdKeyArn is not checked (no aws command, or no permission for kms:DescribeKey)."
    fi
    case ",$(stack_value "Outputs[?OutputKey=='SigningKeyArn'].OutputValue | [0]" 2>/dev/null || true),$(
        planned SigningKeyArn),$(planned PublishedKeyArns)," in
        *",$1,"*)
            fail "OpenIdKeyArn is a key of webhooks, whose receivers would accept what it signs." \
                "Use a key that signs nothing else."
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

# planned NAME: prints the value that a parameter will have: that of the file, or else that of the deployed stack.
planned() {
    parameter "$1" || stack_value "Parameters[?ParameterKey=='$1'].ParameterValue | [0]" 2>/dev/null || true
}
