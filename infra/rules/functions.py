"""Rules for functions: how they are reached and rolled out."""

from alarms import SERVER_ERROR, watchers
from model import names, rule, targets


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
