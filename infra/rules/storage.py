"""Rules for the table, the signing key and the secret."""

from model import listed, rule, statements


def _retained(template, kind):
    # A failed first deployment removes the resources that it created.
    wanted = {"DeletionPolicy": "RetainExceptOnCreate", "UpdateReplacePolicy": "Retain"}
    for name, resource in template.of_type(kind).items():
        for policy, value in wanted.items():
            if resource.get(policy) != value:
                yield f"{name}: {policy} is not {value}"


@rule
def irreplaceable_resources_are_retained(template):
    for kind in ("AWS::DynamoDB::Table", "AWS::KMS::Key", "AWS::SMSVOICE::PhoneNumber"):
        yield from _retained(template, kind)


@rule
def table_is_protected(template):
    for name, table in template.properties("AWS::DynamoDB::Table").items():
        if table.get("DeletionProtectionEnabled") is not True:
            yield f"{name}: no deletion protection"
        recovery = table.get("PointInTimeRecoverySpecification", {})
        if recovery.get("PointInTimeRecoveryEnabled") is not True:
            yield f"{name}: no point-in-time recovery"
        if table.get("SSESpecification", {}).get("SSEEnabled") is not True:
            yield f"{name}: not encrypted with a key that can be audited"


@rule
def table_has_a_throughput_limit(template):
    cap = {
        "MaxReadRequestUnits": {"Ref": "MaxReadRequestUnits"},
        "MaxWriteRequestUnits": {"Ref": "MaxWriteRequestUnits"},
    }
    for name, table in template.properties("AWS::DynamoDB::Table").items():
        if table.get("BillingMode") != "PAY_PER_REQUEST":
            yield f"{name}: not on demand"
        indexes = [index.get("Fn::If", [None, index])[1] for index in table.get("GlobalSecondaryIndexes", [])]
        for part in [table, *indexes]:
            if part.get("OnDemandThroughput") != cap:
                yield f"{name}: {part.get('IndexName', 'the table')} has no cap"


@rule
def secret_has_no_value_of_the_template(template):
    """A value in the template could replace the settings that the command has written, and is not secret. One that is
    generated must outlive the stack."""
    for name, secret in template.properties("AWS::SecretsManager::Secret").items():
        if "SecretString" in secret:
            yield f"{name}: the template holds its value"
        if "GenerateSecretString" in secret:
            kept = template.resources[name].get("DeletionPolicy") == "RetainExceptOnCreate"
            if name == "InboundSecrets" or not kept:
                yield f"{name}: its value could replace what the command has written, or be lost with the stack"


# The function that signs with each key.
_SIGNERS = {"SigningKey": "dispatcher", "OpenIdKey": "openid"}


@rule
def one_function_signs_with_each_key(template):
    """The emulator, on which the tests try the roles, has no key policies."""
    for name, key in template.properties("AWS::KMS::Key").items():
        for s in statements(key["KeyPolicy"]):
            if not {"kms:*", "kms:Sign", "*", "kms:S*"} & set(listed(s.get("Action", []))):
                continue
            condition = s.get("Condition", {})
            who = condition.get("ArnEquals", {}).get("aws:PrincipalArn", {})
            if not str(who.get("Fn::Sub", "")).endswith(f"-{_SIGNERS.get(name)}"):
                yield f"{name}: its policy lets others sign"
            if condition.get("StringEquals") != {"kms:SigningAlgorithm": "ECDSA_SHA_256"}:
                yield f"{name}: its policy allows any signing algorithm"
