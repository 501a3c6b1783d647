"""Rules for functions: how they are reached and rolled out."""

import re

from alarms import SERVER_ERROR, watchers
from model import PREFLIGHT, listed, names, rule, statements, targets


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
    if not template.source["Globals"]["Function"].get("AutoPublishAliasAllProperties"):
        yield "a changed property would not reach the alias"


@rule
def preflight_counts_what_is_reserved(template):
    """All functions but the dispatcher reserve executions, if any do."""
    counted = int(re.search(r"^reserving_functions=(\d+)$", PREFLIGHT.read_text(encoding="utf-8"), re.MULTILINE)[1])
    found = len(template.functions()) - 1
    if counted != found:
        yield f"infra/preflight.sh counts {counted} functions that reserve executions, and there are {found}"


@rule
def gradual_rollouts_are_complete(template):
    """What CodeDeploy demands of a deployment to Lambda, according to "Deployments on an AWS Lambda compute platform" in its
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
        if not group.get("AlarmConfiguration", {}).get("Alarms"):
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
