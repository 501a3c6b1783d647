"""The loop of Lambda's runtime for Python: asks for events and answers them over one connection."""

import http.client
import json
import os
import socket

from handler import handler

PATH = "/2018-06-01/runtime/invocation/"

connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
connection.connect()
connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
while True:
    connection.request("GET", f"{PATH}next")
    event = connection.getresponse()
    invocation = event.getheader("Lambda-Runtime-Aws-Request-Id")
    answer = json.dumps(handler(json.loads(event.read())))
    connection.request("POST", f"{PATH}{invocation}/response", answer)
    connection.getresponse().read()
