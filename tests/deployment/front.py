"""A proxy in front of the HTTP API with its own address, like CloudFront. Commands cannot resolve the
emulator's host names."""

import contextlib
import threading
from http.server import BaseHTTPRequestHandler

import http_api
from loopback import Server


@contextlib.contextmanager
def serving(deployment):
    """Passes POST requests on during a block, and returns the address."""

    class Front(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name: value for name, value in self.headers.items() if name != "host"}
            answer = http_api.call(deployment, "POST", self.path, body, headers)
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_):
            pass

    server = Server(Front)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.url
    finally:
        server.shutdown()
        server.server_close()
