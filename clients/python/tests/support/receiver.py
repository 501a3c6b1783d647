"""A server that receives webhooks."""

import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATIENCE = 60


class Receiver:
    """A server that receives webhooks with a handler, and keeps its replies."""

    def __init__(self) -> None:
        self.handler: Any = None
        self.replies: queue.Queue[tuple[int, str]] = queue.Queue()
        # The asyncio clients belong to one event loop, which only one thread may run at a time.
        self.requests: queue.Queue[tuple[Any, Any]] = queue.Queue()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._kind())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def next(self) -> tuple[int, str]:
        """Answers the next webhook in the test's own thread, and returns the answer."""
        request, done = self.requests.get(timeout=PATIENCE)
        reply = self.handler(*request)
        done.put(reply)
        return reply.status, reply.body

    def _kind(receiver) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                done: queue.Queue[Any] = queue.Queue()
                receiver.requests.put((("POST", self.headers.items(), body), done))
                reply = done.get(timeout=PATIENCE)
                self.send_response(reply.status)
                self.end_headers()
                self.wfile.write(reply.body.encode())

            def log_message(self, *_args: Any) -> None:
                pass

        return Handler
