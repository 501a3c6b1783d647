"""The HTTP API."""

import json

from contract import ROUTES, logical
from model import names, rule, targets

_NEVER_LOGGED = ("path", "query", "header", "authorizer", "body", "domainName")


@rule
def every_route_is_there(template):
    found = {}
    for route in template.properties("AWS::ApiGatewayV2::Route").values():
        for integration in targets(route.get("Target")) & set(template.resources):
            uri = template.resources[integration]["Properties"].get("IntegrationUri")
            found[route["RouteKey"]] = targets(uri)
    for key, function in ROUTES.items():
        if key not in found:
            yield f"no route {key}"
        elif found[key] != {f"{logical(function)}FunctionAliaslive"}:
            yield f"route {key} does not lead to {function}"
    yield from (f"route {key} is not in the contract" for key in found.keys() - ROUTES.keys())


@rule
def functions_answer_for_cors(template):
    for name, api in template.properties("AWS::ApiGatewayV2::Api").items():
        if "CorsConfiguration" in api:
            yield f"{name}: API Gateway would answer OPTIONS in the functions' place"
        if "Body" in api or "BodyS3Location" in api:
            yield f"{name}: routes stand in a body, which emulators ignore"
        if api.get("ProtocolType") != "HTTP":
            yield f"{name}: not an HTTP API"
    if template.of_type("AWS::ApiGateway::RestApi"):
        yield "a REST API"


@rule
def payloads_are_of_version_2(template):
    for name, integration in template.properties("AWS::ApiGatewayV2::Integration").items():
        if (integration.get("IntegrationType"), integration.get("PayloadFormatVersion")) != (
            "AWS_PROXY",
            "2.0",
        ):
            yield f"{name}: not AWS_PROXY with payload 2.0"


@rule
def the_stage_throttles_and_logs(template):
    stages = template.properties("AWS::ApiGatewayV2::Stage")
    if len(stages) != 1:
        yield f"{len(stages)} stages"
    for name, stage in stages.items():
        if stage.get("StageName") != "$default" or stage.get("AutoDeploy") is not True:
            yield f"{name}: not $default, deployed by itself"
        settings = stage.get("DefaultRouteSettings", {})
        if not settings.get("ThrottlingRateLimit") or not settings.get("ThrottlingBurstLimit"):
            yield f"{name}: does not throttle"
        log = stage.get("AccessLogSettings", {})
        if not names(log.get("DestinationArn")) & set(template.of_type("AWS::Logs::LogGroup")):
            yield f"{name}: no access log in a group of this template"
        for field, variable in json.loads(log.get("Format", "{}")).items():
            if any(never in variable for never in _NEVER_LOGGED):
                yield f"{name}: logs {variable} as {field}"
