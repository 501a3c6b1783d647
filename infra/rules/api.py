"""Rules for the HTTP API and the WebSocket API."""

import json

from contract import ROUTES, SOCKET_ROUTES, THROTTLED, logical
from model import branches, names, rule, targets

_NEVER_LOGGED = ("path", "query", "header", "authorizer", "body", "domainName")
_APIS = {"HttpApi": ("HTTP", ROUTES), "SocketApi": ("WEBSOCKET", SOCKET_ROUTES)}


def _of(template, kind, api):
    """Returns the resources of a type that belong to one API."""
    found = template.properties(f"AWS::ApiGatewayV2::{kind}").items()
    return {name: properties for name, properties in found if targets(properties["ApiId"]) == {api}}


@rule
def every_route_exists(template):
    for api, (_, wanted) in _APIS.items():
        found = {}
        for route in _of(template, "Route", api).values():
            for integration in targets(route.get("Target")) & set(template.resources):
                properties = template.resources[integration]["Properties"]
                if targets(properties["ApiId"]) == {api}:
                    found[route["RouteKey"]] = targets(properties.get("IntegrationUri"))
        for key, function in wanted.items():
            if key not in found:
                yield f"{api}: no route {key}"
            elif found[key] != {f"{logical(function)}FunctionAliaslive"}:
                yield f"{api}: route {key} does not lead to {function}"
        yield from (f"{api}: route {key} is not in the contract" for key in found.keys() - wanted.keys())


@rule
def functions_answer_cors_preflights(template):
    found = template.properties("AWS::ApiGatewayV2::Api")
    yield from (f"{name} is not in the contract" for name in found.keys() ^ _APIS.keys())
    for name, api in found.items():
        if "CorsConfiguration" in api:
            yield f"{name}: API Gateway would answer OPTIONS instead of the functions"
        if "Body" in api or "BodyS3Location" in api:
            yield f"{name}: defines routes in a body, which emulators ignore"
        if api.get("ProtocolType") != _APIS.get(name, (None,))[0]:
            yield f"{name}: has another protocol than in the contract"
    if template.of_type("AWS::ApiGateway::RestApi"):
        yield "there is a REST API"


@rule
def integrations_use_the_right_payload_version(template):
    """HTTP integrations use 2.0. WebSocket APIs only have 1.0, and address a function by its invocation
    path."""
    for api, version in (("HttpApi", "2.0"), ("SocketApi", None)):
        for name, integration in _of(template, "Integration", api).items():
            if integration.get("IntegrationType") != "AWS_PROXY":
                yield f"{name}: not AWS_PROXY"
            if integration.get("PayloadFormatVersion") != version:
                yield f"{name}: PayloadFormatVersion is not {version}"
            uri = str(integration.get("IntegrationUri"))
            if api == "SocketApi" and not ("lambda:path/" in uri and "/invocations" in uri):
                yield f"{name}: does not use the invocation path, which WebSocket APIs need"


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
def socket_access_log_is_optional(template):
    """WebSocket APIs write access logs with a role of the account, which new accounts lack."""
    for name, stage in _of(template, "Stage", "SocketApi").items():
        if stage.get("AccessLogSettings", {}).get("Fn::If", [None])[0] != "HasSocketAccessLogs":
            yield f"{name}: cannot be deployed if API Gateway has no role for logs"
    if template.source["Parameters"]["SocketAccessLogs"]["Default"] != "Off":
        yield "SocketAccessLogs is on by default"


@rule
def public_routes_have_their_own_throttle(template):
    for name, stage in _of(template, "Stage", "HttpApi").items():
        found = stage.get("RouteSettings", {})
        yield from (f"{name}: {key} is not in the contract" for key in found.keys() - THROTTLED)
        for key in sorted(THROTTLED):
            settings = found.get(key, {})
            for limit in ("Rate", "Burst"):
                if targets(settings.get(f"Throttling{limit}Limit")) != {f"Login{limit}Limit"}:
                    yield f"{name}: {key} is not throttled by Login{limit}Limit"
        # API Gateway refuses settings of a route that does not exist yet.
        routes = template.of_type("AWS::ApiGatewayV2::Route").items()
        first = {n for n, r in routes if r["Properties"]["RouteKey"] in found}
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
