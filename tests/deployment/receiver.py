"""A receiver of webhooks on loopback. Each path has its own answers."""

import threading
import time
from collections import defaultdict, deque
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from itertools import count

import waiting
from loopback import Server


@dataclass(frozen=True)
class Webhook:
    """A received webhook. The names in `headers` are in lower case, and `at` is Unix time in seconds."""

    headers: dict
    body: bytes
    at: float


class Receiver:
    """Records webhooks. Answers with the status codes that `new_url` was given for the path, then 200."""

    def __init__(self):
        self._received = defaultdict(list)
        self._answers = defaultdict(deque)
        self._changed = threading.Condition()
        self._paths = count(1)
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                status = receiver._take(self.path, Webhook(headers, body, time.time()))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                """Does not log: a failing test says what it missed."""

        self._server = Server(Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def new_url(self, *answers):
        """Returns a new callback URL. Its first calls get these status codes, and later ones 200."""
        path = f"/hooks/{next(self._paths)}"
        self._answers[path].extend(answers)
        return f"{self._server.url}{path}"

    def received(self, url):
        """Returns the webhooks that a callback URL has received so far."""
        with self._changed:
            return list(self._received[path_of(url)])

    def wait_for(self, url, number=1, within=waiting.BOUND):
        """Waits until a callback URL has received `number` webhooks, and returns all of them."""
        path = path_of(url)
        with self._changed:
            came = self._changed.wait_for(lambda: len(self._received[path]) >= number, within)
            found = list(self._received[path])
        assert came, f"{url} received {len(found)} webhooks instead of {number} in {within} s"
        return found

    def wait_about(self, url, text, number=1):
        """Waits until a callback URL has received `number` webhooks whose body holds `text`, such as the
        id of a login, and returns them. Late webhooks of earlier tests do not count."""

        def about():
            found = [one for one in self._received[path_of(url)] if text.encode() in one.body]
            return found if len(found) >= number else None

        with self._changed:
            found = self._changed.wait_for(about, waiting.BOUND)
        assert found, f"{url} did not receive {number} webhooks about {text} in {waiting.BOUND} s"
        return found

    def _take(self, path, webhook):
        with self._changed:
            self._received[path].append(webhook)
            self._changed.notify_all()
            answers = self._answers[path]
            return answers.popleft() if answers else 200


def path_of(url):
    return "/" + url.split("/", 3)[3]
