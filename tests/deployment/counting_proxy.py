"""A reverse proxy on loopback between the functions and the emulator, which counts their calls.

The functions sign their requests for the proxy's address. The proxy passes them on unchanged, so the
emulator verifies the original signatures. While calls are counted, the proxy reads the item before and
after each write, and computes what DynamoDB would charge.
"""

import contextlib
import http.client
import json
import socket
import threading
from collections import Counter
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler

import capacity
from emulator import Emulator
from loopback import Server
from partitions import kind_of, partitions_of

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}
WRITES = {"PutItem", "UpdateItem", "DeleteItem"}
READS = {"GetItem", "Query", "BatchGetItem"}
# Calls to the WebSocket API contain no operation. Policies use this name for all of them.
UNNAMED = {"execute-api": "ManageConnections"}


@dataclass
class Call:
    """One call from a function to a service. `caller` is the access key that signed it, and `kind` the kind
    of the items of a table that it is about. If it was `given_up`, the caller did not wait for the
    answer, or did not read it."""

    caller: str
    service: str
    operation: str
    status: int
    index: str | None = None
    kind: str | None = None
    write_units: float = 0
    read_units: float = 0
    given_up: bool = False


class Calls(list):
    """The calls of a period of time."""

    def operations(self):
        """Returns the number of calls by operation, named `service:Operation`."""
        return dict(sorted(Counter(f"{call.service}:{call.operation}" for call in self).items()))

    def count(self, service, operation):
        return self.operations().get(f"{service}:{operation}", 0)

    def units(self):
        """Returns the units that DynamoDB charges for writes and for reads."""
        return sum(call.write_units for call in self), sum(call.read_units for call in self)


class CountingProxy:
    """The proxy, which runs in threads of this process. `upstream` must be set before the first call.
    Without going through the proxy, `lookup(table, key)` returns an item, and `describe(table)` a
    table's keys and indexes."""

    def __init__(self):
        self.upstream = None
        self.lookup = None
        self.describe = None
        # Services that the emulator lacks, by their names in signatures: functions that take the caller, the
        # operation and the request, and return a status and an answer.
        self.stand_ins = {}
        # The service that fails, how it fails, and an event that ends it: see `trouble`.
        self._trouble = (None, None, None)
        self._calls = Calls()
        # Number of active counting blocks, see `counting`.
        self._counting = 0
        self._lock = threading.Lock()
        self._writes = threading.Lock()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1
            # The last call of this connection.
            answered = None

            def do_POST(self):
                proxy._pass_on(self)

            do_GET = do_PUT = do_DELETE = do_HEAD = do_POST

            def handle_one_request(self):
                # Closing a connection with an answer in it, or before the answer, resets it.
                try:
                    super().handle_one_request()
                except ConnectionError:
                    self.close_connection = True
                    if self.answered:
                        self.answered.given_up = True

            def log_message(self, *_):
                """Does not log: the calls are counted."""

        self._server = Server(Handler)
        self.url = self._server.url
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def calls(self):
        """All calls so far."""
        with self._lock:
            return Calls(self._calls)

    @contextlib.contextmanager
    def counting(self):
        """Collects the calls that arrive while the block runs. The list is filled at its end. Calls that
        were given up are left out: functions do so if an answer is late, and repeat the call."""
        with self._lock:
            start = len(self._calls)
            self._counting += 1
        counted = Calls()
        try:
            yield counted
        finally:
            with self._lock:
                self._counting -= 1
                counted.extend(call for call in self._calls[start:] if not call.given_up)

    @contextlib.contextmanager
    def trouble(self, service, kind):
        """Makes a service fail during a block: it `hangs`, `drops` connections, or `fails` with 500."""
        over = threading.Event()
        self._trouble = (service, kind, over)
        try:
            yield
        finally:
            self._trouble = (None, None, None)
            over.set()

    def _is_in_trouble(self, handler, service):
        troubled, kind, over = self._trouble
        if service != troubled:
            return False
        if kind == "hangs":
            over.wait()
        if kind == "fails":
            handler.send_response_only(500)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
        else:
            handler.close_connection = True
        return True

    def _pass_on(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        caller, service = scope_of(handler.headers.get("Authorization", ""))
        if self._is_in_trouble(handler, service):
            return
        named = handler.headers.get("X-Amz-Target", UNNAMED.get(service, handler.command))
        operation = named.rpartition(".")[2]
        request = json.loads(body) if service == "dynamodb" else {}
        if service == "dynamodb" and operation in WRITES and self._counting:
            # One at a time, so that no other write happens between the two reads.
            with self._writes:
                old = self._item(request)
                status, headers, answer = self._forward(handler, body)
                new = self._item(request)
            units = {}
            if status == 200 or b"ConditionalCheckFailed" in answer:
                keys, indexes = self.describe(request["TableName"])
                units["write_units"] = capacity.write_units(old, new, indexes, keys)
        elif service in self.stand_ins:
            status, found = self.stand_ins[service](caller, operation, json.loads(body))
            headers, answer = [("Content-Type", "application/x-amz-json-1.0")], json.dumps(found).encode()
            units = {}
        else:
            status, headers, answer = self._forward(handler, body)
            units = read_units(operation, request, status, answer) if request else {}
        # All entries of a batch are of the same kind.
        kind = next((kind_of(partition) for partition in partitions_of(request)), None)
        handler.answered = Call(
            caller,
            service,
            operation,
            status,
            request.get("IndexName"),
            kind,
            **units,
            given_up=is_given_up(handler.connection),
        )
        with self._lock:
            self._calls.append(handler.answered)
        handler.send_response_only(status)
        for name, value in headers:
            if name.lower() not in HOP_BY_HOP:
                handler.send_header(name, value)
        if status != 204:
            handler.send_header("Content-Length", str(len(answer)))
        handler.end_headers()
        handler.wfile.write(answer)
        handler.wfile.flush()

    def _item(self, request):
        keys, _ = self.describe(request["TableName"])
        held = request.get("Key") or request["Item"]
        return self.lookup(request["TableName"], {name: held[name] for name in keys})

    def _forward(self, handler, body):
        connection = http.client.HTTPConnection(*self.upstream)
        try:
            connection.putrequest(
                handler.command, handler.path, skip_host=True, skip_accept_encoding=True
            )
            for name, value in handler.headers.items():
                if name.lower() not in HOP_BY_HOP:
                    connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()


def is_given_up(connection):
    """Returns whether a caller has closed its connection."""
    try:
        return not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def scope_of(authorization):
    """Returns access key and service of a version 4 signature, whose scope is
    `key/date/region/service/aws4_request`."""
    _, found, scope = authorization.partition("Credential=")
    parts = scope.partition(",")[0].split("/")
    return (parts[0], parts[3]) if found else ("", "unsigned")


def read_units(operation, request, status, answer):
    """Returns the read units of a call to DynamoDB. A refused read costs nothing."""
    if operation not in READS or status != 200:
        return {}
    answer = json.loads(answer)
    if "Responses" in answer:
        wanted = request["RequestItems"]
        found = [(table, item) for table, items in answer["Responses"].items() for item in items]
        each = (capacity.read_units([item], wanted[table].get("ConsistentRead", False)) for table, item in found)
        return {"read_units": sum(each)}
    items = answer.get("Items", [answer["Item"]] if "Item" in answer else [])
    return {"read_units": capacity.read_units(items, request.get("ConsistentRead", False))}


@contextlib.contextmanager
def proxied_emulator(**variables):
    """Runs an emulator with these settings. Its functions call it through a proxy, since its port is not known before."""
    proxy = CountingProxy()
    emulator = Emulator(functions_call=proxy.url, **variables)
    try:
        proxy.upstream = ("127.0.0.1", emulator.port)
        yield emulator
    finally:
        emulator.close()
        proxy.close()
