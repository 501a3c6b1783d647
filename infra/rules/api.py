"""Rules for the HTTP API and the WebSocket API."""

import fnmatch
import json
import re

import program
from model import EDGE, branches, load, names, rule, targets

_NEVER_LOGGED = ("path", "query", "header", "authorizer", "body", "domainName")


def _of(template, kind, api):
    """Returns the resources of a type that belong to one API."""
    found = template.properties(f"AWS::ApiGatewayV2::{kind}").items()
    return {name: properties for name, properties in found if targets(properties["ApiId"]) == {api}}


@rule
def stages_throttle_and_log(template):
    for api, stage_name in (("HttpApi", "$default"), ("SocketApi", "socket")):
        stages = _of(template, "Stage", api)
        if len(stages) != 1:
            yield f"{api}: {len(stages)} stages"
        for name, stage in stages.items():
            if stage.get("StageName") != stage_name or stage.get("AutoDeploy") is not True:
                yield f"{name}: is not called {stage_name}, or has no AutoDeploy"
            settings = stage.get("DefaultRouteSettings", {})
            if not settings.get("ThrottlingRateLimit") or not settings.get("ThrottlingBurstLimit"):
                yield f"{name}: does not throttle"
            if settings.get("DataTraceEnabled") or settings.get("LoggingLevel"):
                yield f"{name}: API Gateway would log the contents of messages"
            yield from _logged(template, name, stage)


def _logged(template, name, stage):
    """Yields what is wrong with a stage's access log."""
    logs = branches(stage.get("AccessLogSettings"))
    if not logs:
        yield f"{name}: no access log"
    for log in logs:
        if not names(log.get("DestinationArn")) & set(template.of_type("AWS::Logs::LogGroup")):
            yield f"{name}: no access log in a group of this template"
        for field, variable in json.loads(log.get("Format", "{}")).items():
            if any(never in variable for never in _NEVER_LOGGED):
                yield f"{name}: logs {variable} as {field}"


@rule
def public_routes_have_their_own_throttle(template):
    for name, stage in _of(template, "Stage", "HttpApi").items():
        found = stage.get("RouteSettings", {})
        keys = [route["RouteKey"] for route in _of(template, "Route", "HttpApi").values()]
        # Anyone with a browser may call these.
        for key in sorted(key for key in keys if key.startswith(("ANY /qr-sessions", "ANY /phone-registrations/"))):
            settings = found.get(key, {})
            for limit in ("Rate", "Burst"):
                if targets(settings.get(f"Throttling{limit}Limit")) != {f"Login{limit}Limit"}:
                    yield f"{name}: {key} is not throttled by Login{limit}Limit"
        # API Gateway refuses settings for a route that does not exist yet.
        routes = _of(template, "Route", "HttpApi").items()
        first = {route for route, properties in routes if properties["RouteKey"] in found}
        yield from (
            f"{name}: does not wait for {route}"
            for route in first - set(template.resources[name].get("DependsOn", []))
        )


@rule
def every_provider_has_its_own_throttle(template):
    """A flood of one provider's route leaves the others theirs."""
    known = program.providers()
    parameters = template.source["Parameters"]
    for parameter, none in (("SmsProvider", set()), ("SecondSmsProvider", {""})):
        if set(parameters[parameter]["AllowedValues"]) != known | none:
            yield f"{parameter}: does not allow exactly the providers that exist"
    keys = {route["RouteKey"] for route in _of(template, "Route", "HttpApi").values()}
    for name, stage in _of(template, "Stage", "HttpApi").items():
        for provider in sorted(known):
            key = f"ANY /inbound-sms/{provider}"
            if key not in keys:
                yield f"there is no route {key}"
            condition, used, unused = stage["RouteSettings"].get(key, {}).get("Fn::If", (None, {}, {}))
            refers = {"Fn::Equals": [{"Ref": "SmsProvider"}, provider]}
            if refers not in template.source["Conditions"].get(condition, {}).get("Fn::Or", []):
                yield f"{name}: the limit of {key} does not depend on SmsProvider"
            for limits, kind in ((used, "Text"), (unused, "Quiet")):
                wanted = {f"Throttling{part}Limit": {"Ref": f"{kind}{part}Limit"} for part in ("Rate", "Burst")}
                if limits != wanted:
                    yield f"{name}: {key} is not throttled by {kind}RateLimit and {kind}BurstLimit"


@rule
def address_cannot_use_up_a_route(template):
    """WAF counts an address's requests over five minutes, API Gateway everybody's over a second."""
    defaults = {name: parameter.get("Default") for name, parameter in template.source["Parameters"].items()}
    edge = load(EDGE.read_text("utf-8"))["Parameters"]
    for limit, route in (("Logins", "Login"), ("Calls", "Api"), ("Texts", "Text"), ("Others", "Quiet")):
        if edge[f"{limit}PerAddress"]["Default"] >= 300 * defaults[f"{route}RateLimit"]:
            yield f"{limit}PerAddress of infra/edge.yaml is not below {route}RateLimit"


@rule
def refusals_of_every_route_are_counted(template):
    """Each route is in exactly one group, as CloudWatch reads the patterns of its filters."""
    filters = template.properties("AWS::Logs::MetricFilter")
    for route in _of(template, "Route", "HttpApi").values():
        line = {"status": "429", "integrationStatus": "-", "route": route["RouteKey"]}
        counted = [name for name, found in filters.items() if _matches(found["FilterPattern"], line)]
        if len(counted) != 1:
            yield f"{route['RouteKey']}: its refusals are counted by {counted}"
        if any(_matches(found["FilterPattern"], line | {"integrationStatus": "429"}) for found in filters.values()):
            yield f"{route['RouteKey']}: what a function refuses is counted too"


def _matches(pattern, line):
    """Returns whether a pattern of CloudWatch matches a line: comparisons, joined by `&&`, some of them alternatives in brackets."""

    def compared(field, operator, wanted):
        return fnmatch.fnmatchcase(line[field], wanted) == (operator == "=")

    terms = pattern.strip("{} ").split(" && ")
    return all(
        any(compared(*found) for found in re.findall(r'\$\.(\w+) (!?=) "([^"]*)"', term)) for term in terms
    )


@rule
def socket_stage_waits_for_its_routes(template):
    """A WebSocket API without a route cannot be deployed."""
    wanted = set(_of(template, "Route", "SocketApi"))
    for name in _of(template, "Stage", "SocketApi"):
        waits = set(template.resources[name].get("DependsOn", []))
        yield from (f"{name}: does not wait for {route}" for route in wanted - waits)
