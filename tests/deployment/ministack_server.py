"""Runs the emulator on a port of loopback that the system chose.

Prints that port, and then what `tell_of_functions` tells, a line each. Reads from its standard input
which functions to restart, a line each, and tells when that is done.

It mends what the emulator does otherwise than AWS and our template relies on. Each change says what
AWS does; none makes a template work that AWS would refuse.
"""

import asyncio
import json
import os
import re
import socket
import socketserver
import string
import sys
import threading

HOST = "127.0.0.1"


def serve_parent(lambda_runtime):
    """Restarts the functions that the parent names: on AWS that happens by itself, some time or
    other. Ends this process when the parent has gone: its end of our standard input closes."""

    def listen():
        for line in sys.stdin:
            name = line.strip()
            lambda_runtime.invalidate_worker(name)
            tell("restarted", name)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()


def amend(provisioners, kind, change):
    """Has `change(props, make)` answer for making a resource, `make(props)` being the emulator."""
    handlers = provisioners._RESOURCE_HANDLERS[kind]
    create = handlers["create"]

    def amended(logical_id, props, stack_name):
        return change(props, lambda given: create(logical_id, given, stack_name))

    handlers["create"] = amended


def numbers(props):
    """A parameter of type Number is a number to CloudFormation, and text to the emulator."""
    return {name: int(value) for name, value in props.items()}


def with_throughput(props):
    """A table or an index whose caps are numbers."""
    caps = props.get("OnDemandThroughput")
    return props | {"OnDemandThroughput": numbers(caps)} if caps else props


def table(props, make):
    """CloudFormation turns a table's time to live on; the emulator drops it."""
    from ministack.services import dynamodb

    indexes = [with_throughput(index) for index in props.get("GlobalSecondaryIndexes", [])]
    result = make(with_throughput(props) | {"GlobalSecondaryIndexes": indexes})
    wanted = props.get("TimeToLiveSpecification")
    if wanted:
        answer = dynamodb._update_ttl({"TableName": result[0], "TimeToLiveSpecification": wanted})
        if answer[0] != 200:
            raise ValueError(f"TimeToLiveSpecification: {answer[2]!r}")
    return result


def event_source(props, make):
    """The poller of queues stumbles over a number that is text."""
    scaling = props.get("ScalingConfig")
    return make(props | {"ScalingConfig": numbers(scaling)} if scaling else props)


def secret(props, make):
    """Secrets Manager leaves punctuation out where it is told to; the emulator knows single
    characters alone."""
    generate = props.get("GenerateSecretString", {})
    if str(generate.get("ExcludePunctuation")).lower() == "true":
        excluded = generate.get("ExcludeCharacters", "") + string.punctuation
        generate = generate | {"ExcludeCharacters": excluded}
        props = props | {"GenerateSecretString": generate}
    return make(props)


def invocations_by_topics(sns, lambda_svc):
    """SNS invokes a function asynchronously: Lambda tries again, and sends on what failed, as the
    function's alias says. In the emulator topics alone do not go that way."""

    class Asynchronous:
        def __getattr__(self, name):
            return getattr(lambda_svc, name)

        def _execute_function_with_config_scope(self, function, event):
            name = function["config"]["FunctionName"]
            # The alias has the one that there is.
            config, = lambda_svc._functions[name]["event_invoke_configs"].values()
            lambda_svc.invoke_async_with_retry(function | {"event_invoke_config": config}, event)

    sns._lambda_svc = Asynchronous()


def conditions_of_signing(iam_actions):
    """KMS tells policies which algorithm a signature is asked for; the emulator tells them nothing,
    so that a role that may sign with one algorithm alone could not sign at all."""
    context = iam_actions.request_tag_context

    def with_signing(service, action, body, *rest):
        found = dict(context(service, action, body, *rest))
        if action == "kms:Sign":
            request = json.loads(body)
            found["kms:SigningAlgorithm"] = request["SigningAlgorithm"]
            found["kms:MessageType"] = request.get("MessageType", "RAW")
        return found

    iam_actions.request_tag_context = with_signing


def condition_of_principal(iam_evaluator):
    """`aws:PrincipalArn` of a function is its role's ARN; the emulator gives the session's."""
    resolve = iam_evaluator._resolve_condition_key

    def with_role(key, context):
        value = resolve(key, context)
        if key.lower() == "aws:principalarn":
            value = re.sub(r":sts:(.*):assumed-role/([^/]+)/.*", r":iam:\1:role/\2", value)
        return value

    iam_evaluator._resolve_condition_key = with_role


def keys_of_queries(iam_actions):
    """DynamoDB tells policies which partition a query is of. The emulator tells them nothing, and
    what is said of all values holds where there are none: a role could list every partition."""
    context = iam_actions.dynamodb_service_context

    def with_partition(body):
        request = json.loads(body)
        condition = request.get("KeyConditionExpression", "")
        # The first of a key's conditions is the partition's, by a name and a value.
        found = re.match(r"\s*\(?\s*\S+\s*=\s*(:\w+)", condition)
        if not found:
            return context(body)
        (value,) = request["ExpressionAttributeValues"][found.group(1)].values()
        return context(body) | {"dynamodb:LeadingKeys": [value]}

    iam_actions.dynamodb_service_context = with_partition


class Preflight(str):
    """`OPTIONS`, which the emulator does not recognise as such by comparing."""

    __hash__ = str.__hash__

    def __eq__(self, other):
        return False


def preflights(apigateway):
    """An HTTP API without a configuration for CORS hands OPTIONS to the route like any other
    method; the emulator refuses it."""
    execute = apigateway._handle_execute_in_scope

    async def handed_on(api_id, stage, path, method, *arguments):
        if method == "OPTIONS" and not apigateway._apis[api_id].get("corsConfiguration"):
            method = Preflight(method)
        return await execute(api_id, stage, path, method, *arguments)

    apigateway._handle_execute_in_scope = handed_on


def sockets_by_path(lambda_svc):
    """A WebSocket API's connections are managed at a host of its own, which leads to AWS. Functions
    here find it where they find everything, by the path that the emulator has for it."""
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
    """What a function answers to a message goes to the browser where the route has a response, as
    none of ours has. That the function failed, API Gateway says in words of its own, to a browser
    that is still there. The emulator sends whatever came."""
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


def tell_of_functions(lambda_runtime, lambda_svc):
    """Prints which access key a function signs with, and each invocation once it has ended: on AWS
    the trail and the metrics have it."""
    credentials_of = lambda_runtime.execution_credentials
    invoke = lambda_runtime.ProvidedWorker.invoke

    def credentials(config):
        made = credentials_of(config)
        tell("signer", made["AWS_ACCESS_KEY_ID"], config["FunctionName"])
        return made

    def invoked(worker, *arguments, **more):
        try:
            return invoke(worker, *arguments, **more)
        finally:
            tell("invocation", worker.func_name)

    lambda_runtime.execution_credentials = lambda_svc.execution_credentials = credentials
    lambda_runtime.ProvidedWorker.invoke = invoked


def tell(*words):
    """One line, whole, whatever other threads print."""
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


def main():
    # The runtime API answers a function in two writes; with Nagle's algorithm that is 45 ms more.
    socketserver.StreamRequestHandler.disable_nagle_algorithm = True
    listener = socket.create_server((HOST, 0), backlog=1024)
    port = listener.getsockname()[1]
    os.environ["GATEWAY_PORT"] = str(port)
    os.environ["BIND_HOST"] = HOST

    # It reads its environment when it is imported.
    from hypercorn.asyncio import serve
    from hypercorn.config import Config
    from ministack.app import app
    from ministack.core import iam_actions, iam_evaluator, lambda_runtime
    from ministack.services import apigateway, lambda_svc, sns
    from ministack.services.cloudformation import provisioners

    amend(provisioners, "AWS::DynamoDB::Table", table)
    amend(provisioners, "AWS::Lambda::EventSourceMapping", event_source)
    amend(provisioners, "AWS::SecretsManager::Secret", secret)
    invocations_by_topics(sns, lambda_svc)
    conditions_of_signing(iam_actions)
    condition_of_principal(iam_evaluator)
    keys_of_queries(iam_actions)
    preflights(apigateway)
    sockets_by_path(lambda_svc)
    answers_over_sockets(apigateway)
    config = Config()
    config.bind = [f"fd://{listener.fileno()}"]
    config.keep_alive_timeout = 75
    tell_of_functions(lambda_runtime, lambda_svc)
    serve_parent(lambda_runtime)
    tell(str(port))
    asyncio.run(serve(app, config))


if __name__ == "__main__":
    main()
