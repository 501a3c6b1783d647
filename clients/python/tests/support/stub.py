"""A server that answers what a test wants, and keeps what it was asked."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Answer:
    status: int = 200
    body: Any = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    # Closes the connection instead.
    lost: bool = False
    # Sends this many bytes of the body, then nothing until the test ends.
    stalls_after: int | None = None

    @property
    def content(self) -> bytes:
        return self.body.encode() if isinstance(self.body, str) else json.dumps(self.body).encode()


def problem(status: int, code: str, **more: Any) -> Answer:
    headers = more.pop("headers", {})
    body = {"type": f"/problems/{code}", "title": "A title", "status": status, "code": code}
    return Answer(status, {**body, "requestId": "req_1", **more}, headers)


class Stub:
    def __init__(self) -> None:
        self.asked: list[Asked] = []
        # Answers to the next requests, for any path.
        self.script: list[Answer] = []
        # Answers to all other requests, by path.
        self.routes: dict[str, Answer | Callable[[], Answer]] = {}
        # The service's time in the `date` header, or None for no such header.
        self.time: float | None = None
        self.ended = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def asked_for(self, path: str) -> list[Asked]:
        return [asked for asked in self.asked if asked.path.partition("?")[0] == path]

    def close(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()

    def _answer_to(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        if self.script:
            return self.script.pop(0)
        route = self.routes.get(asked.path.partition("?")[0])
        answer = route() if callable(route) else route
        return answer or problem(404, "route_not_found")

    def _handler(stub) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", "0")))
                headers = {name.lower(): value for name, value in self.headers.items()}
                answer = stub._answer_to(Asked(self.command, self.path, headers, body))
                if answer.lost:
                    self.close_connection = True
                    return
                self.send_response_only(answer.status)
                if stub.time is not None and "date" not in answer.headers:
                    self.send_header("date", formatdate(stub.time, usegmt=True))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                if answer.status != 204:
                    self.send_header("content-length", str(len(answer.content)))
                self.end_headers()
                if answer.stalls_after is not None:
                    self.wfile.write(answer.content[: answer.stalls_after])
                    self.wfile.flush()
                    stub.ended.wait()
                    self.close_connection = True
                elif answer.status != 204:
                    self.wfile.write(answer.content)

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, *_args: Any) -> None:
                pass

        return Handler
