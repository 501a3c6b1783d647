"""Rules for the HTTP API and the WebSocket API."""

import json

from model import branches, names, rule, targets

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
        for key in sorted(key for key in keys if key.startswith("ANY /qr-sessions")):
            settings = found.get(key, {})
            for limit in ("Rate", "Burst"):
                if targets(settings.get(f"Throttling{limit}Limit")) != {f"Login{limit}Limit"}:
                    yield f"{name}: {key} is not throttled by Login{limit}Limit"
        # API Gateway refuses settings of a route that does not exist yet.
        routes = _of(template, "Route", "HttpApi").items()
        first = {route for route, properties in routes if properties["RouteKey"] in found}
        yield from (
            f"{name}: does not wait for {route}"
            for route in first - set(template.resources[name].get("DependsOn", []))
        )


@rule
def socket_stage_waits_for_its_routes(template):
    """A WebSocket API without a route cannot be deployed."""
    wanted = set(_of(template, "Route", "SocketApi"))
    for name in _of(template, "Stage", "SocketApi"):
        waits = set(template.resources[name].get("DependsOn", []))
        yield from (f"{name}: does not wait for {route}" for route in wanted - waits)
