"""Rules for the table, the signing key and the secret."""

from model import branches, listed, rule, statements


def _retained(template, kind):
    for name, resource in template.of_type(kind).items():
        for policy in ("DeletionPolicy", "UpdateReplacePolicy"):
            if resource.get(policy) != "Retain":
                yield f"{name}: {policy} is not Retain"


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
        for part in [table, *table.get("GlobalSecondaryIndexes", [])]:
            if part.get("OnDemandThroughput") != cap:
                yield f"{name}: {part.get('IndexName', 'the table')} has no cap"


@rule
def items_expire_by_ttl(template):
    for name, table in template.properties("AWS::DynamoDB::Table").items():
        if table.get("TimeToLiveSpecification") != {"AttributeName": "ttl", "Enabled": True}:
            yield f"{name}: no TTL"


@rule
def table_keys_match_the_store(template):
    tables = template.properties("AWS::DynamoDB::Table")
    if len(tables) != 1:
        yield f"{len(tables)} tables"
    for name, table in tables.items():
        if _schema(table) != [("pk", "S", "HASH"), ("sk", "S", "RANGE")]:
            yield f"{name}: its keys are not pk and sk"
        indexes = {i["IndexName"]: i for i in table.get("GlobalSecondaryIndexes", [])}
        if set(indexes) != {"due"} or table.get("LocalSecondaryIndexes"):
            yield f"{name}: its only index is not `due`"
        for index in indexes.values():
            wanted = [("due_shard", "N", "HASH"), ("due_at", "N", "RANGE")]
            if _schema(index, table) != wanted:
                yield f"{name}: the keys of its index are not due_shard and due_at"
            if index.get("Projection") != {"ProjectionType": "KEYS_ONLY"}:
                yield f"{name}: its index holds more than keys"


def _schema(part, table=None):
    types = {a["AttributeName"]: a["AttributeType"] for a in (table or part)["AttributeDefinitions"]}
    return [(k["AttributeName"], types[k["AttributeName"]], k["KeyType"]) for k in part["KeySchema"]]


_DEFAULTS = {"countersign:sender", "countersign:prefix"}
_FACTS = {"countersign:providers", "countersign:public-url", "countersign:inbound-topic"}


@rule
def table_tags_hold_what_the_command_reads(template):
    for name, table in template.properties("AWS::DynamoDB::Table").items():
        tags = table.get("Tags", [])
        if {tag["Key"] for tag in branches(tags)} != _DEFAULTS | _FACTS:
            yield f"{name}: its tags are not {', '.join(sorted(_DEFAULTS | _FACTS))}"
        if {tag["Key"] for tag in tags if "Key" in tag} & _DEFAULTS:
            yield f"{name}: a default without a condition would be empty"
        facts = {tag["Key"]: tag.get("Value") for tag in tags if "Key" in tag}
        for _, function in template.functions().values():
            variables = function["Environment"]["Variables"]
            for variable, tag in (
                ("COUNTERSIGN_INBOUND_SECRETS", "countersign:providers"),
                ("COUNTERSIGN_PUBLIC_URL", "countersign:public-url"),
                ("COUNTERSIGN_INBOUND_TOPIC_ARN", "countersign:inbound-topic"),
            ):
                if variable in variables and variables[variable] != facts.get(tag):
                    yield f"{name}: its tag {tag} is not the function's {variable}"


@rule
def key_can_only_sign(template):
    for name, key in template.properties("AWS::KMS::Key").items():
        if (key.get("KeySpec"), key.get("KeyUsage")) != ("ECC_NIST_P256", "SIGN_VERIFY"):
            yield f"{name}: not ECC_NIST_P256 for SIGN_VERIFY"
        if "EnableKeyRotation" in key:
            yield f"{name}: KMS cannot rotate asymmetric keys"
        actions = {a for s in statements(key["KeyPolicy"]) for a in listed(s["Action"])}
        if "kms:PutKeyPolicy" not in actions:
            yield f"{name}: nobody could change its policy"


@rule
def secret_has_no_value_of_the_template(template):
    """A value in the template could replace the settings that the command has written."""
    for name, secret in template.properties("AWS::SecretsManager::Secret").items():
        for value in ("SecretString", "GenerateSecretString"):
            if value in secret:
                yield f"{name}: {value} could replace what the command has written"
