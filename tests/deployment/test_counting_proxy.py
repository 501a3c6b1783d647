"""Calls that a function repeats because an answer was late count once."""

import socket
import threading
from http.server import BaseHTTPRequestHandler

import pytest
import waiting
from counting_proxy import CountingProxy
from loopback import Server

CALL = b"POST / HTTP/1.1\r\nHost: x\r\nX-Amz-Target: DynamoDB.Query\r\nContent-Length: 2\r\n\r\n{}"


class Upstream(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        """Does not log."""


@pytest.fixture
def counting_proxy():
    upstream, proxy = Server(Upstream), CountingProxy()
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    proxy.upstream = upstream.server_address
    yield proxy
    proxy.close()
    upstream.shutdown()
    upstream.server_close()


def connect(proxy):
    return socket.create_connection(proxy._server.server_address)


def test_answer_that_is_not_read_is_not_counted(counting_proxy):
    with counting_proxy.counting() as calls:
        with connect(counting_proxy) as caller:
            caller.sendall(CALL)
            # The answer has arrived, and the caller closes the connection without reading it.
            caller.recv(1, socket.MSG_PEEK)
        waiting.until("the call to be given up", lambda: counting_proxy.calls()[-1].given_up)
    assert not calls


def test_answer_that_is_read_is_counted(counting_proxy):
    with counting_proxy.counting() as calls, connect(counting_proxy) as caller:
        caller.sendall(CALL)
        while not caller.recv(4096).endswith(b"{}"):
            pass
    assert calls.operations() == {"unsigned:Query": 1}
