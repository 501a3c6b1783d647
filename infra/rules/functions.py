"""Rules for functions: how they are built, run, logged and rolled out."""

from alarms import watchers
from contract import FUNCTIONS, HTTP, ROUTES, SERVER_ERROR, SOCKET_ROUTES, environment, logical
from model import branches, names, role_statements, rule, targets


@rule
def every_function_exists(template):
    found = set(template.functions())
    yield from (f"no function {name}" for name in set(FUNCTIONS) - found)
    yield from (f"function {name} is not in the contract" for name in found - set(FUNCTIONS))


@rule
def functions_have_runtime_settings(template):
    for name, (_, function) in template.functions().items():
        if function.get("Runtime") != "provided.al2023":
            yield f"{name}: runtime is not provided.al2023"
        if function.get("Architectures") != [{"Ref": "Architecture"}]:
            yield f"{name}: architecture is not that of the parameter"
        if not isinstance(function.get("MemorySize"), int):
            yield f"{name}: no memory"
        if not isinstance(function.get("Timeout"), int):
            yield f"{name}: no timeout"
        if function.get("TracingConfig") != {"Mode": "Active"}:
            yield f"{name}: no tracing"
        called = {*ROUTES.values(), *SOCKET_ROUTES.values()}
        if name in called and function.get("Timeout", 99) > 28:
            yield f"{name}: its timeout is longer than API Gateway waits"


@rule
def variables_match_the_contract(template):
    for name in FUNCTIONS:
        _, function = template.functions().get(name, (None, {}))
        found = function.get("Environment", {}).get("Variables", {})
        wanted = environment(name)
        yield from (f"{name}: no {variable}" for variable in wanted.keys() - found.keys())
        yield from (
            f"{name}: {variable} is not in the contract" for variable in found.keys() - wanted.keys()
        )
        yield from (
            f"{name}: {variable} is not {', '.join(sorted(wanted[variable])) or 'the stack'}"
            for variable in wanted.keys() & found.keys()
            if targets(found[variable]) != wanted[variable] or not names(found[variable])
        )


@rule
def logs_are_json_and_expire(template):
    for name, (_, function) in template.functions().items():
        config = function.get("LoggingConfig", {})
        if config.get("LogFormat") != "JSON":
            yield f"{name}: logs are not JSON"
        if targets(config.get("LogGroup")) != {f"{logical(name)}Logs"}:
            yield f"{name}: no log group of its own"
    for name, group in template.properties("AWS::Logs::LogGroup").items():
        if targets(group.get("RetentionInDays")) != {"LogRetentionDays"}:
            yield f"{name}: no retention"
    # Lambda treats lines without a level as INFO, and metrics have none.
    levels = set(template.source["Parameters"]["LogLevel"]["AllowedValues"])
    yield from (f"LogLevel {level} drops metrics" for level in levels - {"TRACE", "DEBUG", "INFO"})


@rule
def reserved_concurrency_is_optional(template):
    for name, (_, function) in template.functions().items():
        reserved = function.get("ReservedConcurrentExecutions")
        if not branches(reserved):
            continue
        if reserved.get("Fn::If", [None])[0] != "HasReservedConcurrency":
            yield f"{name}: reserves concurrency by default, which new accounts do not allow"
        if name == "dispatcher":
            yield "dispatcher: reserves concurrency, but MaximumConcurrency already limits it"
    if template.source["Parameters"]["ReservedConcurrency"]["Default"] != 0:
        yield "ReservedConcurrency is on by default"


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
def rollback_alarms_have_no_circular_dependency(template):
    """An alias depends on its rollback alarms, so the alarms cannot refer to the alias, or to the API,
    whose integrations refer to aliases."""
    waits = ("AWS::ApiGatewayV2::", "AWS::Lambda::Alias", "AWS::Lambda::Function")
    for name, resource in template.source["Resources"].items():
        if resource["Type"] != "AWS::Serverless::Function":
            continue
        own = resource["Properties"].get("DeploymentPreference", {}).get("Alarms", [])
        alarms = names(own)
        if not alarms:
            yield f"{name}: no alarm rolls its updates back"
        for alarm in alarms:
            for reached in template.reach(alarm):
                if template.resources[reached]["Type"].startswith(waits):
                    yield f"{name}: its rollback alarm {alarm} depends on {reached}"


@rule
def rollbacks_watch_errors_of_the_function(template):
    """Rollback alarms watch crashes and, for functions with HTTP routes, responses of 500 and above."""
    for name, (function, _) in template.functions().items():
        preference = template.source["Resources"][function]["Properties"].get("DeploymentPreference", {})
        rolled_back_on = names(preference.get("Alarms", []))
        watched = [("AWS/Lambda", "Errors")]
        if name in HTTP:
            watched.append(("Countersign", SERVER_ERROR))
        for namespace, metric in watched:
            if not rolled_back_on & watchers(template, name, namespace, metric):
                yield f"{name}: an update that raises {metric} is not rolled back"


@rule
def failed_asynchronous_events_are_kept(template):
    """Failed texts from SNS go to a queue. A failed sweep needs none, because the next one replaces it."""
    wanted = {"inbound-sns": "InboundSnsFailedQueue", "dispatcher": None}
    configs = template.properties("AWS::Lambda::EventInvokeConfig").values()
    for name, queue in wanted.items():
        function, properties = template.functions().get(name, (None, {}))
        config = next((c for c in configs if function in names(c.get("FunctionName"))), None)
        if config is None:
            yield f"{name}: no EventInvokeConfig"
        elif queue and targets(config.get("DestinationConfig")) != {queue}:
            yield f"{name}: failed events do not go to {queue}"
        elif not queue and config.get("MaximumRetryAttempts") != 0:
            yield f"{name}: failed sweeps are retried"
        if queue and not any(
            queue in names(s.get("Resource")) for s in role_statements(template.role_of(properties)[1])
        ):
            yield f"{name}: may not send to {queue}"
