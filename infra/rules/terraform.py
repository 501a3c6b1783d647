"""Holds Terraform's configuration against the template: the same resources, variables, permissions,
routes, alarms and settings."""

import json
import re
import sys

from alarms import name_of
from contract import FUNCTIONS, PATHS, SOCKET_ROUTES, environment, permissions
from hcl import Terraform, snake, texts
from model import TEMPLATE, Template, targets

RULES = []


def same(check):
    """Registers a comparison: from a Terraform and a Template to findings."""
    RULES.append(check)
    return check


# What the template has by logical id, and Terraform by address. None: CodeDeploy, see versions.tf.
ADDRESSES = [
    (r"Deployment(Role)", None),
    (r"(\w+)Function", "aws_lambda_function.main"),
    (r"SocketApi", "aws_apigatewayv2_api.socket"),
    (r"SocketApiStage", "aws_apigatewayv2_stage.socket"),
    (r"SocketApiLogs", "aws_cloudwatch_log_group.socket"),
    (r"Socket(\w+)Route", "aws_apigatewayv2_route.socket"),
    (r"BrowserSocketIntegration", "aws_apigatewayv2_integration.socket"),
    (r"BrowserSocketApiPermission", "aws_lambda_permission.socket"),
    (r"HttpApiLogs", "aws_cloudwatch_log_group.api"),
    (r"(\w+)Logs", "aws_cloudwatch_log_group.functions"),
    (r"(\w+)Role", "aws_iam_role.main"),
    (r"(\w+)ApiPermission", "aws_lambda_permission.api"),
    (r"InboundSnsPermission", "aws_lambda_permission.inbound"),
    (r"SweepPermission", "aws_lambda_permission.sweep"),
    (r"(\w+)Integration", "aws_apigatewayv2_integration.main"),
    (r"(\w+)Route", "aws_apigatewayv2_route.main"),
    (r"HttpApi", "aws_apigatewayv2_api.main"),
    (r"HttpApiStage", "aws_apigatewayv2_stage.default"),
    (r"HttpApiDomain", "aws_apigatewayv2_domain_name.main"),
    (r"HttpApiDomainMapping", "aws_apigatewayv2_api_mapping.main"),
    (r"HttpApiDomain(A|AAAA)Record", "aws_route53_record.main"),
    (r"Table", "aws_dynamodb_table.main"),
    (r"SigningKey", "aws_kms_key.signing"),
    (r"SigningKeyAlias", "aws_kms_alias.signing"),
    (r"(\w+)QueuePolicy", "aws_sqs_queue_policy.main"),
    (r"(\w+)Queue", "aws_sqs_queue.{}"),
    (r"Dispatcher(FirstAttempts|Retries)", "aws_lambda_event_source_mapping.{}"),
    (r"SweepRule", "aws_cloudwatch_event_rule.sweep"),
    (r"InboundTopic", "aws_sns_topic.inbound"),
    (r"InboundTopicPolicy", "aws_sns_topic_policy.inbound"),
    (r"InboundSnsSubscription", "aws_sns_topic_subscription.inbound"),
    (r"InboundSecrets", "aws_secretsmanager_secret.inbound"),
    (r"OwnNumber", "aws_pinpointsmsvoicev2_phone_number.own"),
    (r"AlarmTopic", "aws_sns_topic.alarms"),
    (r"AlarmTopicPolicy", "aws_sns_topic_policy.alarms"),
    (r"AlarmSubscription", "aws_sns_topic_subscription.alarms"),
    (r"(\w+)Alarm", "aws_cloudwatch_metric_alarm.main"),
    (r"Dashboard", "aws_cloudwatch_dashboard.main"),
]
# What the template says inside another resource.
PARTS = {
    "aws_lambda_alias.live",
    "aws_iam_role_policy.main",
    "aws_cloudwatch_event_target.sweep",
    "aws_lambda_function_event_invoke_config.dispatcher",
    "aws_lambda_function_event_invoke_config.inbound_sns",
    "aws_secretsmanager_secret_version.inbound",
    "aws_sqs_queue_redrive_allow_policy.first_attempts_dead",
    "aws_sqs_queue_redrive_allow_policy.retries_dead",
    "aws_sqs_queue_redrive_allow_policy.inbound_sns_undelivered",
    "aws_sqs_queue_redrive_allow_policy.inbound_sns_failed",
}


def address(logical):
    """Terraform's address for a logical id; None where there is none."""
    for pattern, form in ADDRESSES:
        found = re.fullmatch(pattern, logical)
        if found:
            return form and form.format(*(snake(part) for part in found.groups()))
    return f"unknown.{logical}"


@same
def resources(terraform, template):
    wanted = {address(name) for name in template.source["Resources"]} - {None}
    found = set(terraform.resources)
    yield from (f"no {name}" for name in sorted(wanted - found))
    yield from (f"{name} is not in the template" for name in sorted(found - wanted - PARTS))
    yield from (f"no {name}" for name in sorted(PARTS - found))


@same
def variables(terraform, template):
    parameters = {snake(k): v for k, v in template.source["Parameters"].items() if k != "Rollout"}
    own = {"deployment", "artifacts"}
    # Without the environment's file nothing is planned: the defaults would undo a rotation.
    from_file = {"signing_key_arn", "published_key_arns"}
    yield from (f"no variable {name}" for name in sorted(parameters.keys() - terraform.variables.keys()))
    for name, variable in terraform.variables.items():
        if ("default" in variable) == (name in from_file):
            yield f"variable {name} has {'a' if name in from_file else 'no'} default"
        if name not in parameters:
            if name not in own:
                yield f"variable {name} is not in the template"
            continue
        parameter = parameters[name]
        default = [] if parameter["Type"] == "CommaDelimitedList" else parameter["Default"]
        if name not in from_file and variable.get("default") != default:
            yield f"variable {name}: its default is not {default!r}"
        conditions = " ".join(v["condition"] for v in variable.get("validation", []))
        pattern = parameter.get("AllowedPattern", "").replace("\\", "\\\\")
        if pattern and f'regex("{pattern}"' not in conditions:
            yield f"variable {name}: not held to {pattern}"
        for value in parameter.get("AllowedValues", []):
            if not re.search(rf"\b{re.escape(str(value))}\b", conditions):
                yield f"variable {name}: {value} is not allowed"
        for bound in ("MinValue", "MaxValue"):
            if bound in parameter and f"= {parameter[bound]}" not in conditions:
                yield f"variable {name}: {bound} is not {parameter[bound]}"


@same
def functions(terraform, template):
    found = terraform.locals.get("functions", {})
    yield from (f"functions: {name}" for name in sorted(set(found) ^ set(FUNCTIONS)))
    variables = terraform.resources["aws_lambda_function.main"]["environment"][0]["variables"]
    if "merge(each.value.environment, local.common_environment)" not in variables:
        yield "functions: not all have the common variables"
    common = terraform.locals.get("common_environment", {})
    if common.get("COUNTERSIGN_DEPLOYMENT") != "${var.deployment}":
        yield "functions: no COUNTERSIGN_DEPLOYMENT"
    for name, (_, properties) in template.functions().items():
        function = found.get(name, {})
        if (function.get("memory"), function.get("timeout")) != (
            properties["MemorySize"],
            properties["Timeout"],
        ):
            yield f"{name}: other memory or timeout"
        told = {**common, **function.get("environment", {})}
        told = {k: terraform.targets(v) for k, v in told.items() if k != "COUNTERSIGN_DEPLOYMENT"}
        wanted = {k: v for k, v in environment(name).items() if v}
        yield from (f"{name}: {v} differs" for v in sorted({*told, *wanted}) if told.get(v) != wanted.get(v))


@same
def rights(terraform, template):
    common = terraform.data["aws_iam_policy_document.functions"]["statement"]
    logs = [s for s in common if s.get("sid") == "Logs"]
    if [s.get("resources") for s in logs] != [["${aws_cloudwatch_log_group.functions[each.key].arn}:*"]]:
        yield "functions: may write to logs that are not theirs"
    everywhere = {a for s in common if "*" in s.get("resources", []) for a in s["actions"]}
    shared = {a for s in common for a in s["actions"]}
    for name in FUNCTIONS:
        wanted = permissions(name)
        own = {pair for pair in wanted if pair[0] not in shared}
        if {a for a, r in wanted if r == "*"} != everywhere:
            yield f"{name}: other rights on every resource"
        if {a for a, _ in wanted - own} != shared:
            yield f"{name}: other rights that all have"
        found = {
            (action, target)
            for p in terraform.locals["functions"].get(name, {}).get("permissions", [])
            for action in p["actions"]
            for target in _reached(terraform, p["resources"])
        }
        yield from (f"{name}: {a} on {r} differs" for a, r in sorted(found ^ own))
        for p in terraform.locals["functions"].get(name, {}).get("permissions", []):
            if "kms:Sign" in p["actions"] and p.get("algorithm") != "ECDSA_SHA_256":
                yield f"{name}: may sign with any algorithm"
            on_table = p["resources"] == ["${aws_dynamodb_table.main.arn}"]
            if "dynamodb:Query" in p["actions"] and on_table and p.get("partitions") != ["APPS"]:
                yield f"{name}: may list more than apps"
    bound = terraform.data["aws_iam_policy_document.functions"]["dynamic"]
    tests = re.findall(r"'(?:test|variable)': '([^']*)'", str(bound))
    wanted = ["StringEquals", "kms:SigningAlgorithm", "ForAllValues:StringEquals", "dynamodb:LeadingKeys"]
    if tests != wanted:
        yield f"functions: their rights are bound by {', '.join(tests)}"


def _reached(terraform, resources):
    """What a permission's resources are called in the contract."""
    connections = "${aws_apigatewayv2_api.socket.execution_arn}/"
    if isinstance(resources, list) and all(str(r).startswith(connections) for r in resources):
        return {f"SocketApi/{r.removeprefix(connections)}" for r in resources}
    return terraform.targets(resources) or {"*"}


@same
def key_policy(terraform, template):
    key = template.resources["SigningKey"]["Properties"]["KeyPolicy"]["Statement"]
    found = terraform.data["aws_iam_policy_document.signing_key"]["statement"]
    for theirs, ours in zip(found, key, strict=True):
        actions = ours["Action"] if isinstance(ours["Action"], list) else [ours["Action"]]
        if theirs["actions"] != actions:
            yield f"key policy: {ours['Sid']} differs"
        wanted = {
            (test, variable) for test, c in ours.get("Condition", {}).items() for variable in c
        }
        if {(c["test"], c["variable"]) for c in theirs.get("condition", [])} != wanted:
            yield f"key policy: {ours['Sid']} is bound otherwise"


@same
def routes(terraform, template):
    if terraform.locals.get("paths") != PATHS:
        yield "the paths differ"
    merged = terraform.locals.get("routes", "")
    for part in (
        '"$default" = "well-known"',
        '"ANY /" = "qr-session"',
        '"ANY ${path}" => ',
    ):
        if part not in merged:
            yield f"routes: no {part}"
    if terraform.locals.get("socket_routes") != "${toset(" + json.dumps([*SOCKET_ROUTES]) + ")}":
        yield "the socket's routes differ"


@same
def stages(terraform, template):
    """What each stage lets through, and what it waits for."""
    http = terraform.resources["aws_apigatewayv2_stage.default"]
    socket = terraform.resources["aws_apigatewayv2_stage.socket"]
    for name, settings, limit in (
        ("default", http["default_route_settings"][0], "Api"),
        ("socket", socket["default_route_settings"][0], "Login"),
        ("route_settings", http["dynamic"][0]["route_settings"]["content"][0], "Login"),
    ):
        for kind in ("rate", "burst"):
            found = terraform.targets(settings.get(f"throttling_{kind}_limit"))
            if found != {f"{limit}{kind.capitalize()}Limit"}:
                yield f"stages: {name} is not throttled by {limit}{kind.capitalize()}Limit"
    which = http["dynamic"][0]["route_settings"]["for_each"]
    if 'strcontains(key, "/qr-sessions")' not in which:
        yield "stages: other routes have settings of their own"
    if socket["default_route_settings"][0].get("data_trace_enabled") is not False:
        yield "stages: API Gateway would log what browsers send"
    log = socket["dynamic"][0]["access_log_settings"]
    if 'var.socket_access_logs == "On" ? ' not in log["for_each"]:
        yield "stages: the socket's log is not written on request alone"
    for stage, waits in ((http, "aws_apigatewayv2_route.main"), (socket, "aws_apigatewayv2_route.socket")):
        if stage.get("depends_on") != ["${" + waits + "}"]:
            yield f"stages: one does not wait for {waits}"


@same
def alarms(terraform, template):
    found = terraform.locals.get("alarms", {})
    wanted = {name_of(a): a for a in template.properties("AWS::CloudWatch::Alarm").values()}
    yield from (f"alarm {name} is on one side alone" for name in sorted(set(found) ^ set(wanted)))
    for name in set(found) & set(wanted):
        ours, theirs = wanted[name], found[name]
        for field, own in (
            ("description", ours["AlarmDescription"]),
            ("namespace", ours["Namespace"]),
            ("metric", ours["MetricName"]),
            ("statistic", ours.get("Statistic") or ours.get("ExtendedStatistic")),
            ("period", ours["Period"]),
            ("periods", ours["EvaluationPeriods"]),
            ("datapoints", ours.get("DatapointsToAlarm")),
            ("comparison", ours["ComparisonOperator"]),
        ):
            if theirs.get(field) != own:
                yield f"alarm {name}: {field} is not {own}"
        threshold = ours["Threshold"]
        if (terraform.targets(theirs["threshold"]) or theirs["threshold"]) != (
            targets(threshold) or threshold
        ):
            yield f"alarm {name}: another threshold"
        if theirs.get("missing", "notBreaching") != ours["TreatMissingData"]:
            yield f"alarm {name}: missing data counts otherwise"
        dimensions = {d["Name"]: d["Value"] for d in ours["Dimensions"]}
        if set(dimensions) != set(theirs["dimensions"]) or any(
            terraform.targets(theirs["dimensions"][k]) != targets(v) for k, v in dimensions.items()
        ):
            yield f"alarm {name}: other dimensions"


@same
def dashboards(terraform, template):
    body = json.loads(template.resources["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"])
    ours = [(w["properties"]["title"], _shown(w["properties"]["metrics"])) for w in body["widgets"]]
    theirs = [(w["title"], _shown(w["metrics"])) for w in terraform.locals.get("widgets", [])]
    yield from (f"dashboard: {title} differs" for title, shown in ours if (title, shown) not in theirs)


def _shown(metrics):
    """Namespace, metric and dimension of each row."""
    return [tuple(row[:3]) for row in metrics]


# Attributes that must be so, with what the template says of them.
def _settings(template):
    def of(logical):
        return template.resources[logical]["Properties"]

    for name, queue in template.properties("AWS::SQS::Queue").items():
        at = address(name)
        yield at, "sqs_managed_sse_enabled", queue["SqsManagedSseEnabled"]
        yield at, "name", queue["QueueName"]["Fn::Sub"].replace("AWS::StackName", "var.deployment")
        yield at, "visibility_timeout_seconds", queue.get("VisibilityTimeout")
        yield at, "message_retention_seconds", queue.get("MessageRetentionPeriod")
    for name, source in template.properties("AWS::Lambda::EventSourceMapping").items():
        yield address(name), "batch_size", source["BatchSize"]
        yield address(name), "function_response_types", source["FunctionResponseTypes"]
    yield "aws_dynamodb_table.main", "deletion_protection_enabled", True
    yield "aws_dynamodb_table.main", "billing_mode", of("Table")["BillingMode"]
    yield "aws_dynamodb_table.main", "hash_key", "pk"
    yield "aws_dynamodb_table.main", "range_key", "sk"
    yield "aws_dynamodb_table.main", "ttl", [{"attribute_name": "ttl", "enabled": True}]
    yield "aws_dynamodb_table.main", "point_in_time_recovery", [{"enabled": True}]
    yield "aws_dynamodb_table.main", "server_side_encryption", [{"enabled": True}]
    key = of("SigningKey")
    yield "aws_kms_key.signing", "customer_master_key_spec", key["KeySpec"]
    yield "aws_kms_key.signing", "key_usage", key["KeyUsage"]
    yield "aws_kms_key.signing", "enable_key_rotation", None
    yield "aws_cloudwatch_event_rule.sweep", "schedule_expression", of("SweepRule")["ScheduleExpression"]
    yield "aws_cloudwatch_event_target.sweep", "input", r"{\"sweep\":true}"
    yield "aws_apigatewayv2_api.main", "cors_configuration", None
    yield "aws_apigatewayv2_stage.default", "name", of("HttpApiStage")["StageName"]
    socket = of("SocketApi")
    yield "aws_apigatewayv2_api.socket", "protocol_type", socket["ProtocolType"]
    chosen_by = socket["RouteSelectionExpression"]
    yield "aws_apigatewayv2_api.socket", "route_selection_expression", chosen_by
    yield "aws_apigatewayv2_stage.socket", "name", of("SocketApiStage")["StageName"]
    yield "aws_apigatewayv2_integration.socket", "integration_type", "AWS_PROXY"
    called = '${aws_lambda_alias.live["browser-socket"].invoke_arn}'
    yield "aws_apigatewayv2_integration.socket", "integration_uri", called
    caller = "${aws_apigatewayv2_api.socket.execution_arn}/socket/*"
    yield "aws_lambda_permission.socket", "source_arn", caller
    yield "aws_lambda_function.main", "runtime", of("AcquireFunction")["Runtime"]
    yield "aws_lambda_function.main", "architectures", ["${var.architecture}"]
    yield "aws_lambda_function.main", "tracing_config", [{"mode": "Active"}]
    yield "aws_cloudwatch_log_group.functions", "retention_in_days", "${var.log_retention_days}"
    yield "aws_cloudwatch_log_group.api", "retention_in_days", "${var.log_retention_days}"
    yield "aws_cloudwatch_log_group.socket", "retention_in_days", "${var.log_retention_days}"
    for kept in ("aws_dynamodb_table.main", "aws_kms_key.signing", "aws_pinpointsmsvoicev2_phone_number.own"):
        yield kept, "lifecycle", [{"prevent_destroy": True}]


@same
def settings(terraform, template):
    for at, attribute, wanted in _settings(template):
        if terraform.resources.get(at, {}).get(attribute) != wanted:
            yield f"{at}: {attribute} is not {wanted!r}"
    index = terraform.resources["aws_dynamodb_table.main"]["global_secondary_index"]
    if [(i["name"], i["hash_key"], i["range_key"], i["projection_type"]) for i in index] != [
        ("due", "due_shard", "due_at", "KEYS_ONLY")
    ]:
        yield "aws_dynamodb_table.main: another index"
    for name, wanted in (("first_attempts", "FirstAttempts"), ("retries", "Retries")):
        queue = terraform.resources.get(f"aws_sqs_queue.{name}", {})
        if terraform.targets(queue.get("redrive_policy")) != {f"{wanted}DeadQueue"}:
            yield f"aws_sqs_queue.{name}: another dead-letter queue"
        source = terraform.resources[f"aws_lambda_event_source_mapping.{name}"]
        cap = source.get("scaling_config", [{}])[0].get("maximum_concurrency")
        if terraform.targets(cap) != {f"{wanted}Concurrency"}:
            yield f"aws_lambda_event_source_mapping.{name}: another cap"
        if terraform.targets(source["event_source_arn"]) != {f"{wanted}Queue"}:
            yield f"aws_lambda_event_source_mapping.{name}: another queue"


@same
def outputs(terraform, template):
    ours = {snake(n) for n in template.source["Outputs"] if not n.endswith("FunctionName")}
    ours.add("function_names")
    yield from (f"output {name} is on one side alone" for name in sorted(ours ^ set(terraform.outputs)))


@same
def every_local_and_variable_is_used(terraform, template):
    whole = "\n".join(terraform.files.values())
    # A variable's own validation is no use of it.
    outside = "\n".join(t for name, t in terraform.files.items() if name != "variables.tf")
    for kind, declared in (("var", terraform.variables), ("local", terraform.locals)):
        for name in declared:
            if not re.search(rf"\b{kind}\.{name}\b", outside):
                yield f"{kind}.{name} is not used"
    for kind, name in re.findall(r"\b(var|local)\.(\w+)", whole):
        if name not in (terraform.variables if kind == "var" else terraform.locals):
            yield f"{kind}.{name} is not declared"
    declared = {*terraform.resources, *(f"data.{at}" for at in terraform.data)}
    for at in re.findall(r"((?:data\.)?\baws_[a-z0-9_]+\.[a-z_0-9]+)\b", whole):
        if at not in declared and not at.startswith("aws_secretsmanager_random_password."):
            yield f"{at} is not declared"


def findings(terraform, template):
    """One line for each difference."""
    return [f"{rule.__name__}: {found}" for rule in RULES for found in rule(terraform, template)]


if __name__ == "__main__":
    lines = findings(Terraform(texts()), Template(TEMPLATE.read_text("utf-8")))
    for line in lines:
        print(f"infra/terraform: {line}")
    sys.exit(1 if lines else 0)
