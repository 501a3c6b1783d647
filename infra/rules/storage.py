"""Rules for the table, the signing key and the secret."""

import string

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


@rule
def table_tags_hold_the_defaults_of_the_command(template):
    for name, table in template.properties("AWS::DynamoDB::Table").items():
        tags = {tag["Key"] for tag in branches(table.get("Tags", []))}
        if tags != {"countersign:sender", "countersign:prefix"}:
            yield f"{name}: its tags are not countersign:sender and countersign:prefix"
        if any("Key" in tag for tag in table.get("Tags", [])):
            yield f"{name}: a tag without a condition would be empty"


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
def generated_secret_has_the_form_of_inbound_secrets(template):
    """`shared/inbound` expects the Base64 of 24 to 64 bytes."""
    for name, secret in template.properties("AWS::SecretsManager::Secret").items():
        made = secret.get("GenerateSecretString", {})
        if (made.get("SecretStringTemplate"), made.get("GenerateStringKey")) != ("{}", "generic"):
            yield f"{name}: does not have the form that functions read"
        length = made.get("PasswordLength", 32)
        if length % 4 or not 32 <= length <= 84:
            yield f"{name}: {length} characters are not the Base64 of 24 to 64 bytes"
        left = set(string.punctuation) - set(made.get("ExcludeCharacters", ""))
        if not made.get("ExcludePunctuation") or left:
            yield f"{name}: may contain characters that are not Base64"
