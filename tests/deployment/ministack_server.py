"""Runs the emulator on a port of loopback that the system chose, and prints that port.

It mends what the emulator leaves out of CloudFormation and a template of ours relies on: each patch
says what real CloudFormation does. Nothing here makes the emulator more lenient.
"""

import asyncio
import os
import socket
import socketserver
import sys
import threading

HOST = "127.0.0.1"


def exit_with_parent():
    """Ends this process when what started it has gone: its end of our standard input closes."""

    def wait():
        sys.stdin.buffer.read()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def time_to_live(provisioners):
    """CloudFormation turns a table's `TimeToLiveSpecification` on; the emulator drops it."""
    from ministack.services import dynamodb

    handlers = provisioners._RESOURCE_HANDLERS["AWS::DynamoDB::Table"]
    create = handlers["create"]

    def create_with_time_to_live(logical_id, props, stack_name):
        result = create(logical_id, props, stack_name)
        wanted = props.get("TimeToLiveSpecification")
        if wanted:
            answer = dynamodb._update_ttl(
                {"TableName": result[0], "TimeToLiveSpecification": wanted}
            )
            if answer[0] != 200:
                raise ValueError(f"TimeToLiveSpecification of {logical_id}: {answer[2]!r}")
        return result

    handlers["create"] = create_with_time_to_live


def routes_of_body(provisioners):
    """CloudFormation makes an HTTP API's routes from its OpenAPI `Body`; the emulator makes none."""
    handlers = provisioners._RESOURCE_HANDLERS["AWS::ApiGatewayV2::Api"]
    create = handlers["create"]
    methods = {"get", "put", "post", "delete", "options", "head", "patch"}

    def route(api_id, key, operation, stack_name):
        integration = operation["x-amazon-apigateway-integration"]
        props = {
            "ApiId": api_id,
            "IntegrationType": integration["type"].upper(),
            "IntegrationUri": integration["uri"],
            "PayloadFormatVersion": integration["payloadFormatVersion"],
        }
        make = provisioners._RESOURCE_HANDLERS["AWS::ApiGatewayV2::Integration"]["create"]
        target = make(f"Integration{key}", props, stack_name)[0]
        make = provisioners._RESOURCE_HANDLERS["AWS::ApiGatewayV2::Route"]["create"]
        make(
            f"Route{key}",
            {"ApiId": api_id, "RouteKey": key, "Target": f"integrations/{target}"},
            stack_name,
        )

    def create_with_routes(logical_id, props, stack_name):
        result = create(logical_id, props, stack_name)
        for path, operations in ((props.get("Body") or {}).get("paths") or {}).items():
            for method, operation in operations.items():
                if path == "/$default":
                    key = "$default"
                elif method == "x-amazon-apigateway-any-method":
                    key = f"ANY {path}"
                elif method in methods:
                    key = f"{method.upper()} {path}"
                else:
                    continue
                route(result[0], key, operation, stack_name)
        return result

    handlers["create"] = create_with_routes


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
    from ministack.services.cloudformation import provisioners

    time_to_live(provisioners)
    routes_of_body(provisioners)
    config = Config()
    config.bind = [f"fd://{listener.fileno()}"]
    config.keep_alive_timeout = 75
    exit_with_parent()
    print(port, flush=True)
    asyncio.run(serve(app, config))


if __name__ == "__main__":
    main()
