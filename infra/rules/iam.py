"""Rules for permissions: each role has exactly the rights in the contract."""

from contract import FUNCTIONS, ITEMS, kinds_of_items, permissions
from model import listed, names, role_statements, rule, statements, targets

_CONNECTIONS = "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:"

# Actions without resource-level permissions.
_NO_RESOURCES = {"sms-voice:CarrierLookup", "xray:PutTelemetryRecords", "xray:PutTraceSegments"}


@rule
def every_function_has_its_own_role(template):
    owner = {}
    for name, (_, function) in template.functions().items():
        role, _ = template.role_of(function)
        if role is None:
            yield f"{name}: no role in this template"
        elif role in owner:
            yield f"{name} and {owner[role]} share {role}"
        owner[role] = name


def _reached(resource):
    """Returns the names that a statement's resource has in the contract."""
    text = resource.get("Fn::Sub", "") if isinstance(resource, dict) else ""
    if text.startswith(_CONNECTIONS):
        return {text.removeprefix(_CONNECTIONS).replace("${", "").replace("}", "")}
    return targets(resource) or {str(resource)}


@rule
def roles_match_the_contract(template):
    for name in FUNCTIONS:
        _, function = template.functions().get(name, (None, {}))
        found = {
            (action, target)
            for s in role_statements(template.role_of(function)[1])
            for action in listed(s.get("Action", []))
            for resource in listed(s.get("Resource"))
            for target in _reached(resource)
        }
        wanted = permissions(name)
        yield from (f"{name}: may not {a} on {r}" for a, r in sorted(wanted - found))
        yield from (f"{name}: may {a} on {r}, but need not" for a, r in sorted(found - wanted, key=str))


@rule
def permissions_have_no_wildcards(template):
    for name, role in template.properties("AWS::IAM::Role").items():
        if role.get("ManagedPolicyArns"):
            yield f"{name}: has a managed policy"
        for s in role_statements(role):
            actions = listed(s.get("Action", []))
            if "NotAction" in s or "NotResource" in s or any("*" in a for a in actions):
                yield f"{name}: allows actions by pattern"
            wild = any(r == "*" for r in listed(s.get("Resource")))
            if wild and not set(actions) <= _NO_RESOURCES:
                yield f"{name}: allows {', '.join(actions)} on every resource"
    for kind in ("AWS::IAM::ManagedPolicy", "AWS::IAM::Policy", "AWS::IAM::RolePolicy"):
        yield from (f"{name}: is a policy outside of the roles" for name in template.of_type(kind))


@rule
def items_match_the_contract(template):
    """A role reads and writes only the kinds of items that its function works with."""
    for name in FUNCTIONS:
        _, function = template.functions().get(name, (None, {}))
        found = set()
        for s in role_statements(template.role_of(function)[1]):
            actions = {action.removeprefix("dynamodb:") for action in listed(s.get("Action", []))}
            if targets(s.get("Resource")) != {"Table"} or actions == {"Query"}:
                continue
            match s.get("Condition"):
                case {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": kinds}, **others} if not others:
                    found |= {(action, kind) for action in actions for kind in listed(kinds)}
                case _:
                    yield f"{name}: may {', '.join(sorted(actions))} every item"
        wanted = {(action, kind) for action, kinds in ITEMS.get(name, {}).items() for kind in kinds}
        yield from (f"{name}: may not {a} {k}" for a, k in sorted(wanted - found))
        yield from (f"{name}: may {a} {k}, but need not" for a, k in sorted(found - wanted))
    reached = {kind for actions in ITEMS.values() for kinds in actions.values() for kind in kinds}
    yield from (f"no item of the table is a {kind}" for kind in sorted(reached - kinds_of_items()))
    yield from (f"no function may reach {kind}" for kind in sorted(kinds_of_items() - reached))


@rule
def queries_are_limited_to_the_apps(template):
    """A role that may query the table must not list confirmations or logins. It only needs the list of
    apps, to know their keys and to find the app of a link host."""
    for name, role in template.properties("AWS::IAM::Role").items():
        for s in role_statements(role):
            if "dynamodb:Query" not in listed(s.get("Action", [])):
                continue
            index = str(s.get("Resource")).endswith("/index/due'}")
            bound = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["APPS"]}}
            if not index and s.get("Condition") != bound:
                yield f"{name}: may list more than apps"
            if index and "Condition" in s:
                yield f"{name}: has a condition on keys that the index does not have"


@rule
def roles_are_assumed_by_one_service(template):
    for name, role in template.properties("AWS::IAM::Role").items():
        for s in statements(role["AssumeRolePolicyDocument"]):
            wanted = {"DeploymentRole": "codedeploy"}.get(name, "lambda")
            if s.get("Principal") != {"Service": f"{wanted}.amazonaws.com"}:
                yield f"{name}: may be assumed by others than {wanted}"


@rule
def only_the_dispatcher_signs(template):
    algorithm = {"kms:SigningAlgorithm": "ECDSA_SHA_256"}
    for name, role in template.properties("AWS::IAM::Role").items():
        for s in role_statements(role):
            if "kms:Sign" in listed(s.get("Action", [])):
                if name != "DispatcherRole":
                    yield f"{name}: may sign"
                if s.get("Condition", {}).get("StringEquals") != algorithm:
                    yield f"{name}: may sign with any algorithm"
    for name, key in template.properties("AWS::KMS::Key").items():
        for s in statements(key["KeyPolicy"]):
            signs = {"kms:*", "kms:Sign", "*", "kms:S*"} & set(listed(s.get("Action", [])))
            if not signs:
                continue
            condition = s.get("Condition", {})
            who = condition.get("ArnEquals", {}).get("aws:PrincipalArn", {})
            if not str(who.get("Fn::Sub", "")).endswith("-dispatcher"):
                yield f"{name}: its policy lets others sign"
            if condition.get("StringEquals") != algorithm:
                yield f"{name}: its policy allows any signing algorithm"


def _apis_of(template, aliases):
    """Returns the APIs that call one of these aliases."""
    integrations = template.properties("AWS::ApiGatewayV2::Integration").values()
    return {
        api
        for integration in integrations
        if names(integration.get("IntegrationUri")) & aliases
        for api in targets(integration["ApiId"])
    }


@rule
def every_caller_is_limited_to_one_source(template):
    wanted = {
        "sns.amazonaws.com": {"InboundTopic"},
        "events.amazonaws.com": {"SweepRule"},
    }
    for name, permission in template.properties("AWS::Lambda::Permission").items():
        source = wanted.get(permission.get("Principal"))
        if permission.get("Principal") == "apigateway.amazonaws.com":
            source = _apis_of(template, names(permission["FunctionName"]))
        if not source or targets(permission.get("SourceArn")) != source:
            yield f"{name}: not limited to one caller"
    callable_by = {
        (alias, p["Principal"])
        for p in template.properties("AWS::Lambda::Permission").values()
        for alias in names(p["FunctionName"])
    }
    for name, integration in template.properties("AWS::ApiGatewayV2::Integration").items():
        for alias in targets(integration.get("IntegrationUri")):
            if (alias, "apigateway.amazonaws.com") not in callable_by:
                yield f"{name}: API Gateway may not call {alias}"
