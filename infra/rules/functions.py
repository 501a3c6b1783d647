"""Rules for functions: how they are reached and rolled out."""

import re

from alarms import SERVER_ERROR, watchers
from model import PREFLIGHT, branches, lacking_regions, listed, names, rule, statements, targets


@rule
def callers_reach_the_alias(template):
    aliases = template.of_type("AWS::Lambda::Alias")
    of_function = {names(a["Properties"]["FunctionName"]).pop() for a in aliases.values()}
    for name, (function, _) in template.functions().items():
        if function not in of_function:
            yield f"{name}: no alias"
    for kind, field in (
        ("AWS::Lambda::Permission", "FunctionName"),
        ("AWS::Lambda::EventSourceMapping", "FunctionName"),
        ("AWS::ApiGatewayV2::Integration", "IntegrationUri"),
    ):
        for name, resource in template.properties(kind).items():
            if not targets(resource.get(field)) <= set(aliases):
                yield f"{name}: {field} is not an alias"


@rule
def changed_configuration_publishes_a_version(template):
    """CloudFormation replaces a version if its description changes, and Lambda publishes one only of a function that changed."""
    common = template.source["Globals"]["Function"]
    if not common.get("AutoPublishAliasAllProperties"):
        yield "a changed property would not reach the alias"
    if names(common["Environment"]["Variables"].get("COUNTERSIGN_SETTINGS")) != {"Settings"}:
        yield "functions stay as they are if the settings change"
    for name, (function, _) in template.functions().items():
        versions = [
            version
            for version in template.properties("AWS::Lambda::Version").values()
            if targets(version["FunctionName"]) == {function}
        ]
        if [names(version.get("Description")) for version in versions] != [{"Settings"}]:
            yield f"{name}: a changed parameter would not reach the alias"


def _conditions(value):
    """Returns the conditions that a value depends on. `Condition` is also a part of a policy, and then no text."""
    if isinstance(value, list):
        return set().union(*map(_conditions, value))
    if not isinstance(value, dict):
        return set()
    found = set().union(*map(_conditions, value.values()))
    named = [value.get("Condition"), *value.get("Fn::If", [])[:1]]
    return found | {name for name in named if isinstance(name, str)}


def _parameters(template, value):
    """Returns the parameters that a value depends on, also by conditions and by parameters of Systems Manager."""
    found, seen, left = set(), set(), [value]
    while left:
        part = left.pop()
        for name in (names(part) | _conditions(part)) - seen:
            seen.add(name)
            resource = template.resources.get(name, {})
            if name in template.source["Parameters"]:
                found.add(name)
            elif name in template.source["Conditions"]:
                left.append(template.source["Conditions"][name])
            elif resource.get("Type") == "AWS::SSM::Parameter":
                left.append(resource["Properties"])
    return found


@rule
def settings_name_every_parameter_that_functions_depend_on(template):
    named = names(template.resources["Settings"]["Properties"]["Content"])
    wanted = set()
    for function, properties in template.functions().values():
        # Lambda applies this limit to all versions together.
        versioned = {key: value for key, value in properties.items() if key != "ReservedConcurrentExecutions"}
        policy = template.resources[function.removesuffix("Function") + "Policy"]["Properties"]["PolicyDocument"]
        wanted |= _parameters(template, [versioned, policy])
    yield from (f"Settings: lacks {name}" for name in sorted(wanted - named))


@rule
def roles_keep_what_the_live_version_needs(template):
    """A policy with another name is a new one, and the former goes when the update is through."""
    policies = template.properties("AWS::IAM::RolePolicy")
    for name, (function, properties) in template.functions().items():
        first = function.removesuffix("Function")
        policy = policies.get(f"{first}Policy", {})
        if targets(policy.get("RoleName")) != targets(properties["Role"]) or "Settings" not in names(policy["PolicyName"]):
            yield f"{name}: its role has no policy that is named after the settings"
        if template.resources[f"{first}Role"]["Properties"].get("Policies"):
            yield f"{name}: its role has a policy that an update changes at once"
        if f"{first}Policy" not in listed(template.resources[function].get("DependsOn", [])):
            yield f"{name}: does not wait for its policy"


@rule
def roles_can_be_bounded(template):
    for name, role in template.properties("AWS::IAM::Role").items():
        if "PermissionsBoundary" not in targets(role.get("PermissionsBoundary")):
            yield f"{name}: has no PermissionsBoundary"


@rule
def preflight_knows_where_the_template_is_refused(template):
    text = PREFLIGHT.read_text(encoding="utf-8")
    types = {resource["Type"] for resource in template.resources.values()}
    lists = {"AWS::Budgets::Budget": "budgets", "AWS::SMSVOICE::PhoneNumber": "numbers"}
    lacking = {kind: lacking_regions(kind) for kind in types}
    for kind, regions in lacking.items():
        if kind not in lists:
            yield from (f"infra/preflight.sh does not know that {region} lacks {kind}" for region in sorted(regions))
            continue
        known = set(re.search(rf'^without_{lists[kind]}="([^"]*)"', text, re.MULTILINE)[1].split())
        yield from (f"infra/preflight.sh: {region} and {kind}" for region in sorted(known ^ regions))


@rule
def preflight_counts_what_is_reserved(template):
    """All functions but the dispatcher reserve executions, if any do. Preflight adds that of the OpenID provider if it is on."""
    counted = int(re.search(r"^reserving_functions=(\d+)$", PREFLIGHT.read_text(encoding="utf-8"), re.MULTILINE)[1])
    optional = [name for name, (function, _) in template.functions().items() if "Condition" in template.resources[function]]
    if optional != ["openid"]:
        yield f"infra/preflight.sh counts openid where it exists, and these functions are optional: {optional}"
    found = len(template.functions()) - len(optional) - 1
    if counted != found:
        yield f"infra/preflight.sh counts {counted} functions that reserve executions, and there are {found}"


@rule
def gradual_rollouts_are_complete(template):
    """Demands of CodeDeploy on a deployment to Lambda, according to "Deployments on an AWS Lambda compute platform" in its
    guide. Nothing here runs one: `docs/first-deployment.md` looks at the first."""
    rollout = template.given.get("Rollout")
    if not rollout:
        return
    groups = template.properties("AWS::CodeDeploy::DeploymentGroup")
    for name, (function, _) in template.functions().items():
        group = groups.get(f"{function}DeploymentGroup", {})
        if group.get("DeploymentStyle") != {
            "DeploymentType": "BLUE_GREEN",
            "DeploymentOption": "WITH_TRAFFIC_CONTROL",
        }:
            yield f"{name}: does not shift traffic"
        if rollout not in str(group.get("DeploymentConfigName")):
            yield f"{name}: is not deployed as {rollout}"
        watched = branches(group.get("AlarmConfiguration"))
        if not watched or not watched[0].get("Alarms"):
            yield f"{name}: no alarm stops its rollout"
        events = group.get("AutoRollbackConfiguration", {}).get("Events", [])
        if "DEPLOYMENT_STOP_ON_ALARM" not in events:
            yield f"{name}: is not rolled back on an alarm"
        alias = template.resources[f"{function}Aliaslive"].get("UpdatePolicy", {}).get("CodeDeployLambdaAliasUpdate")
        if not alias or targets(alias["DeploymentGroupName"]) != {f"{function}DeploymentGroup"}:
            yield f"{name}: CloudFormation would move its alias at once"
        allowed = [s for s in statements(_deployer(template)) if "lambda:UpdateAlias" in listed(s["Action"])]
        arns = {a.get("Fn::Sub", "").rsplit(":function:", 1)[-1] for s in allowed for a in listed(s["Resource"])}
        if not {f"${{AWS::StackName}}-{name}", f"${{AWS::StackName}}-{name}:*"} <= arns:
            yield f"{name}: CodeDeploy may not move its alias"


def _deployer(template):
    """Returns what CodeDeploy's role allows."""
    policy, = template.properties("AWS::IAM::Role")["DeploymentRole"]["Policies"]
    return policy["PolicyDocument"]


@rule
def rollbacks_watch_errors_of_the_function(template):
    """Rollback alarms watch crashes and, for functions with HTTP routes, responses of 500 and above."""
    for name, (function, _) in template.functions().items():
        preference = template.source["Resources"][function]["Properties"].get("DeploymentPreference", {})
        rolled_back_on = names(preference.get("Alarms", []))
        watched = [("AWS/Lambda", "Errors")]
        if name in template.answering():
            watched.append(("Countersign", SERVER_ERROR))
        for namespace, metric in watched:
            if not rolled_back_on & watchers(template, name, namespace, metric):
                yield f"{name}: an update that raises {metric} is not rolled back"
