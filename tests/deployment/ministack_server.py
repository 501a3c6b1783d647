"""Runs the emulator on loopback, on a free port or on EMULATOR_PORT.

Prints that port, then one line per report (see `report_functions`). Each line of its standard input names
a function to restart, or is `-` for none, and it reports when that is done. The line `?` asks whether
invocations are in progress.

It patches the emulator where it differs from AWS in a way that matters to our template. Each patch says
what AWS does. No patch makes a template work that AWS would refuse.
"""

import asyncio
import json
import os
import re
import select
import socket
import socketserver
import sys
import threading
from datetime import UTC, datetime, timedelta

from partitions import partitions_of

HOST = "127.0.0.1"


def serve_parent(lambda_runtime, lambda_svc):
    """Restarts the functions that the parent names, as AWS does by itself from time to time. Ends this
    process when the parent has ended, which closes our standard input."""

    def listen():
        for line in sys.stdin:
            name = line.strip()
            if name == "?":
                report("running", "yes" if any_in_progress(lambda_svc) else "no")
                continue
            if name != "-":
                lambda_runtime.invalidate_worker(name)
            report("restarted", name)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()


def any_in_progress(lambda_svc):
    """Returns whether a function runs, or is about to for a batch that has left its queue."""
    return bool(lambda_svc._esm_inflight) or lambda_svc.executions_in_flight()[0] > 0


def amend(provisioners, kind, change):
    """Replaces the creation of a resource by `change(props, make)`. `make(props)` is the emulator's own."""
    handlers = provisioners._RESOURCE_HANDLERS[kind]
    create = handlers["create"]

    def amended(logical_id, props, stack_name):
        return change(props, lambda given: create(logical_id, given, stack_name))

    handlers["create"] = amended


def role_policies(provisioners):
    """Adds the type of a policy in a role. One with another name is another resource, so that both are there until
    CloudFormation has finished an update and removes the former. The emulator has only the type whose name changes in place."""

    def as_policy(props):
        return {"PolicyDocument": props["PolicyDocument"], "Roles": [props["RoleName"]]}

    def create(_, props, __):
        policy = as_policy(props)
        provisioners._iam_policy_require_entities(policy)
        provisioners._iam_policy_require_valid_document(policy)
        provisioners._iam_policy_put(policy, props["PolicyName"])
        return f"{props['PolicyName']}|{props['RoleName']}", {}

    def delete(_, props):
        provisioners._iam_policy_drop(as_policy(props), props["PolicyName"])

    provisioners._RESOURCE_HANDLERS["AWS::IAM::RolePolicy"] = {"create": create, "delete": delete}


def without_effect(provisioners, kind):
    """Adds a type that the emulator does not have. Its resources exist, and do nothing."""
    provisioners._RESOURCE_HANDLERS[kind] = {
        "create": lambda logical_id, props, stack_name: (f"{stack_name}-{logical_id}", {}),
        "delete": lambda physical_id, props: None,
    }


def numbers(props):
    """Converts values to numbers. CloudFormation passes a parameter of type Number as a number, the
    emulator as text."""
    return {name: int(value) for name, value in props.items()}


def with_throughput(props):
    """Returns the properties of a table or index, with its throughput limits as numbers."""
    caps = props.get("OnDemandThroughput")
    return props | {"OnDemandThroughput": numbers(caps)} if caps else props


def table(props, make):
    """Turns a table's time to live on, as CloudFormation does. The emulator ignores it."""
    from ministack.services import dynamodb

    indexes = [with_throughput(index) for index in props.get("GlobalSecondaryIndexes", [])]
    result = make(with_throughput(props) | {"GlobalSecondaryIndexes": indexes})
    wanted = props.get("TimeToLiveSpecification")
    if wanted:
        answer = dynamodb._update_ttl({"TableName": result[0], "TimeToLiveSpecification": wanted})
        if answer[0] != 200:
            raise ValueError(f"TimeToLiveSpecification: {answer[2]!r}")
    return result


def loops_of_nested_stacks(engine):
    """Runs the loops in the template of a nested stack, as CloudFormation does. The emulator runs those of the
    outer template only, and takes a loop for a resource. What is left in place asks for CAPABILITY_AUTO_EXPAND."""
    parse = engine._parse_template

    def expanded(text):
        template = parse(text)
        transformed = engine._apply_transforms(template)
        if isinstance(transformed, engine._TransformFailed):
            raise ValueError(transformed.error)
        return transformed | {name: template[name] for name in ("Transform",) if name in template}

    # Properties that refer to an outer template have their own reference to it.
    engine._parse_template = expanded


def names_once(provisioners, cloudwatch):
    """Refuses an alarm or a dashboard by a name that exists, as CloudFormation does. The emulator overwrites the other one, and
    deletes it together with the resource that had the name before."""

    def once(kind, property, existing):
        def change(props, make):
            if props[property] in existing:
                raise ValueError(f"{props[property]} already exists")
            return make(props)

        amend(provisioners, kind, change)

    once("AWS::CloudWatch::Alarm", "AlarmName", cloudwatch._alarms)
    once("AWS::CloudWatch::Dashboard", "DashboardName", cloudwatch._dashboards)


def metric_math(provisioners):
    """Makes alarms that watch an expression, which CloudWatch evaluates. The emulator knows only alarms for one
    metric: here such an alarm exists, and watches the expression's first metric."""
    record = provisioners._cw_metric_alarm_record

    def recorded(name, props):
        stats = [one["MetricStat"] for one in props.get("Metrics", []) if "MetricStat" in one]
        if stats:
            first = stats[0]
            props = props | first["Metric"] | {"Statistic": first["Stat"], "Period": first["Period"]}
            del props["Metrics"]
        return record(name, props)

    provisioners._cw_metric_alarm_record = recorded


def event_source(props, make):
    """Converts the scaling limits to numbers: the emulator's poller cannot handle text."""
    scaling = props.get("ScalingConfig")
    return make(props | {"ScalingConfig": numbers(scaling)} if scaling else props)


def secret(props, make):
    """Creates a secret without a value, as CloudFormation does if the template has no value. The emulator
    gives it an empty text."""
    from ministack.services import secretsmanager

    result = make(props)
    if not {"SecretString", "GenerateSecretString"} & props.keys():
        secretsmanager._secrets[result[0]]["Versions"].clear()
    return result


def invocations_by_topics(sns, lambda_svc):
    """Makes topics invoke functions asynchronously, so that Lambda retries a failed event and then sends
    it on, as the function's alias configures. In the emulator only topics do not do that."""

    class Asynchronous:
        def __getattr__(self, name):
            return getattr(lambda_svc, name)

        def _execute_function_with_config_scope(self, function, event):
            name = function["config"]["FunctionName"]
            # Only the alias has such a configuration.
            config, = lambda_svc._functions[name]["event_invoke_configs"].values()
            lambda_svc.invoke_async_with_retry(function | {"event_invoke_config": config}, event)

    sns._lambda_svc = Asynchronous()


def conditions_of_signing(iam_actions):
    """Passes the requested signing algorithm and the encryption context to policies, as KMS does. The emulator
    passes nothing, so a role that may only use one algorithm could not sign at all."""
    context = iam_actions.request_tag_context

    def with_signing(service, action, body, *rest):
        found = dict(context(service, action, body, *rest))
        if action == "kms:Sign":
            request = json.loads(body)
            found["kms:SigningAlgorithm"] = request["SigningAlgorithm"]
            found["kms:MessageType"] = request.get("MessageType", "RAW")
        if action == "kms:Decrypt":
            given = json.loads(body).get("EncryptionContext", {})
            found |= {f"kms:EncryptionContext:{name}": value for name, value in given.items()}
        return found

    iam_actions.request_tag_context = with_signing


def condition_of_principal(iam_evaluator):
    """Resolves `aws:PrincipalArn` to the ARN of the function's role, as AWS does. The emulator uses the
    ARN of the session."""
    resolve = iam_evaluator._resolve_condition_key

    def with_role(key, context):
        value = resolve(key, context)
        if key.lower() == "aws:principalarn":
            value = re.sub(r":sts:(.*):assumed-role/([^/]+)/.*", r":iam:\1:role/\2", value)
        return value

    iam_evaluator._resolve_condition_key = with_role


def leading_keys(iam_actions):
    """Passes the partitions of a request to policies, as DynamoDB does. The emulator passes nothing, and
    `ForAllValues` is true of no values, so a role could reach every partition."""
    context = iam_actions.dynamodb_service_context

    def with_partitions(body):
        partitions = partitions_of(json.loads(body))
        keys = {"dynamodb:LeadingKeys": partitions} if partitions else {}
        return context(body) | keys

    iam_actions.dynamodb_service_context = with_partitions


def actions_by_path(iam_actions):
    """Finds the action of a request to CloudWatch in its path, as AWS does. The emulator looks for it elsewhere, and allows
    what it does not find. Metrics have no ARNs, and the emulator would look for one in a body that is not JSON."""
    action, arn = iam_actions.extract_iam_action, iam_actions.extract_resource_arn

    def operation(service, path):
        named = re.fullmatch(r"/service/\w+/operation/(\w+MetricData)", path)
        return named[1] if service == "monitoring" and named else None

    def action_of(service, method, path, *rest):
        named = operation(service, path)
        return f"cloudwatch:{named}" if named else action(service, method, path, *rest)

    def arn_of(service, method, path, *rest):
        return "*" if operation(service, path) else arn(service, method, path, *rest)

    iam_actions.extract_iam_action, iam_actions.extract_resource_arn = action_of, arn_of


def tables_by_arn(iam_actions):
    """Finds the table of a request that names it as `ResourceArn`, as DynamoDB does. The emulator finds none,
    so only a policy for all tables allowed reading a table's tags."""
    named = iam_actions.dynamodb_resource_arns

    def with_arn(body, *rest):
        arn = json.loads(body or b"{}").get("ResourceArn")
        return [arn] if arn else named(body, *rest)

    iam_actions.dynamodb_resource_arns = with_arn


class Preflight(str):
    """The method `OPTIONS`, in a form that the emulator's comparisons do not recognise."""

    __hash__ = str.__hash__

    def __eq__(self, other):
        return False


def preflights(apigateway):
    """Passes OPTIONS to the route like any other method, as an HTTP API without a CORS configuration
    does. The emulator refuses it."""
    execute = apigateway._handle_execute_in_scope

    async def handed_on(api_id, stage, path, method, *arguments):
        if method == "OPTIONS" and not apigateway._apis[api_id].get("corsConfiguration"):
            method = Preflight(method)
        return await execute(api_id, stage, path, method, *arguments)

    apigateway._handle_execute_in_scope = handed_on


def sockets_by_path(lambda_svc):
    """Points functions to the emulator's path for managing the connections of a WebSocket API. The
    template's endpoint has another host, which would lead to AWS."""
    environment_of = lambda_svc._provided_worker_env

    def environment(*arguments):
        made = environment_of(*arguments)
        endpoint = made.get("COUNTERSIGN_SOCKET_ENDPOINT", "")
        if found := re.fullmatch(r"https://(\w+)\.execute-api\.[^/]+/(\w+)", endpoint):
            here = f"{made['AWS_ENDPOINT_URL']}/_aws/execute-api/{found[1]}/{found[2]}"
            made["COUNTERSIGN_SOCKET_ENDPOINT"] = here
        return made

    lambda_svc._provided_worker_env = environment


def answers_over_sockets(apigateway):
    """Sends a function's answer to the browser only if the route has a response, as API Gateway does.
    None of our routes has one. If the function failed, API Gateway sends its own message to a browser
    that is still connected. The emulator always sends the function's answer."""
    invoke = apigateway._invoke_ws_lambda

    async def answered(api_id, account_id, region, route, stage, connection_id, *arguments, **more):
        answer = await invoke(
            api_id, account_id, region, route, stage, connection_id, *arguments, **more
        )
        if not answer or route.get("routeResponseSelectionExpression"):
            return answer
        body = None
        if answer.get("statusCode", 200) >= 500 and connection_id in apigateway._ws_connections:
            body = {"message": "Internal server error", "connectionId": connection_id}
        return answer | {"body": body}

    apigateway._invoke_ws_lambda = answered


def lines_with_their_invocation(worker):
    """Logs each line of a function with the invocation that wrote it: our functions write their lines
    before they answer. The emulator waits 5 ms for a further line and leaves a later one to the next
    invocation, so on a busy machine a line may never be logged."""
    reading = threading.Lock()
    rests = {}

    def take(stream, lines):
        """Moves what the pipe holds to `lines`. Returns false at the pipe's end."""
        while readable(stream, 0):
            data = os.read(stream.fileno(), 65536)
            *whole, rests[lines] = (rests.get(lines, b"") + data).split(b"\n")
            for line in whole:
                lines.put_nowait(line.decode(errors="replace"))
            if not data:
                return False
        return True

    def pump(_, stream, lines):
        open_still = True
        while open_still and readable(stream, None):
            with reading:
                open_still = take(stream, lines)
        with reading, stream:
            rest = rests.pop(lines, b"")
            if rest:
                lines.put_nowait(rest.decode(errors="replace"))

    def drain(worker, **_):
        process = worker._proc
        if process is not None:
            with reading:
                if not process.stdout.closed:
                    take(process.stdout, worker._stderr_queue)
        return worker._drain_stderr()

    worker._pump_output = pump
    worker._drain_stderr_bounded = drain


def distinct_times(stacks):
    """Gives each event of a stack a later time than the one before it. SAM passes over an event that is
    not later than the last one that it has seen. If that is the end of a deployment, it waits forever."""
    latest = datetime.min.replace(tzinfo=UTC)

    def later():
        nonlocal latest
        latest = max(datetime.now(UTC), latest + timedelta(milliseconds=1))
        return latest.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"

    stacks.now_iso = later


def readable(stream, milliseconds):
    """Waits until a pipe has something to read, or is at its end."""
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    return bool(poll.poll(milliseconds))


def over_tls(app):
    """Counts every request as sent over TLS, without which our policies refuse it. AWS has no other endpoints; here all
    calls stay on loopback."""

    async def answered(scope, receive, send):
        if scope["type"] == "http":
            kept = [header for header in scope["headers"] if header[0] != b"x-forwarded-proto"]
            scope = scope | {"headers": [*kept, (b"x-forwarded-proto", b"https")]}
        await app(scope, receive, send)

    return answered


def report_functions(lambda_runtime, lambda_svc):
    """Reports the credentials of each function, and the end of each invocation. On AWS CloudTrail shows
    which function signed a call, and the metrics count invocations.

    An invocation has ended once its lines are logged and its process is free for the next one."""
    credentials_of = lambda_runtime.execution_credentials
    dispatch = lambda_svc._execute_function_dispatch

    def credentials(config):
        made = credentials_of(config)
        names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
        report("signer", *(made[name] for name in names), config["FunctionName"])
        return made

    def dispatched(function, config, *arguments):
        try:
            return dispatch(function, config, *arguments)
        finally:
            report("invocation", config["FunctionName"])

    lambda_runtime.execution_credentials = lambda_svc.execution_credentials = credentials
    lambda_svc._execute_function_dispatch = dispatched


def report_rights(iam_evaluator):
    """Reports each right that a user of the account uses. On AWS IAM Access Analyzer tells which those are."""
    enforce = iam_evaluator.enforce

    def reported(access_key, action, *arguments, **more):
        denied = enforce(access_key, action, *arguments, **more)
        if not denied and (access_key or "").startswith("AKIA"):
            report("right", access_key, action)
        return denied

    iam_evaluator.enforce = reported


def report(*words):
    """Prints a line in one step, so that lines of several threads do not mix."""
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


def main():
    # The runtime API answers a function with two writes. Nagle's algorithm would add 45 ms.
    socketserver.StreamRequestHandler.disable_nagle_algorithm = True
    listener = socket.create_server((HOST, int(os.environ.get("EMULATOR_PORT", 0))), backlog=1024)
    port = listener.getsockname()[1]
    os.environ["GATEWAY_PORT"] = str(port)
    os.environ["BIND_HOST"] = HOST

    # Imported here, because the emulator reads its environment during import.
    from hypercorn.asyncio import serve
    from hypercorn.config import Config
    from ministack.app import app
    from ministack.core import iam_actions, iam_evaluator, lambda_runtime
    from ministack.services import apigateway, cloudwatch, lambda_svc, sns
    from ministack.services.cloudformation import engine, provisioners, stacks

    amend(provisioners, "AWS::DynamoDB::Table", table)
    amend(provisioners, "AWS::Lambda::EventSourceMapping", event_source)
    amend(provisioners, "AWS::SecretsManager::Secret", secret)
    role_policies(provisioners)
    without_effect(provisioners, "AWS::WAFv2::LoggingConfiguration")
    loops_of_nested_stacks(engine)
    names_once(provisioners, cloudwatch)
    metric_math(provisioners)
    invocations_by_topics(sns, lambda_svc)
    conditions_of_signing(iam_actions)
    condition_of_principal(iam_evaluator)
    leading_keys(iam_actions)
    actions_by_path(iam_actions)
    tables_by_arn(iam_actions)
    preflights(apigateway)
    sockets_by_path(lambda_svc)
    answers_over_sockets(apigateway)
    distinct_times(stacks)
    config = Config()
    config.bind = [f"fd://{listener.fileno()}"]
    config.keep_alive_timeout = 75
    lines_with_their_invocation(lambda_runtime.ProvidedWorker)
    report_functions(lambda_runtime, lambda_svc)
    report_rights(iam_evaluator)
    serve_parent(lambda_runtime, lambda_svc)
    report(str(port))
    asyncio.run(serve(over_tls(app), config))


if __name__ == "__main__":
    main()
