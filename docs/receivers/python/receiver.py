"""A Countersign webhook receiver in Python 3.11 or later.

    ../../../scripts/pack.sh python
    pip install -r requirements.txt
    COUNTERSIGN_API_KEY=cs_live_... python receiver.py

../README.md lists what it answers, and ../../webhooks.md explains the rules, which the library `countersign`
follows. With FastAPI, Flask or Django, use the library's handlers for these.
"""

import json
import os
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import countersign
from countersign.handlers import MAX_BODY, Reply, WebhookHandler
from countersign.types import WebhookBody


def on_verified(event: WebhookBody) -> None:
    """Replace this with what your service does with a verified number. It is called once for each.

    If it finds no record of the confirmation, it has to raise `RecordMissingError`: the webhook comes again only then.
    """
    number = event.phone_number
    print(f"verified {number[:3]}***{number[-2:]}", flush=True)


class Receiver(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, env: Mapping[str, str]) -> None:
        super().__init__(("127.0.0.1", int(env.get("PORT", "4000"))), Handler)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self.callback_url = env.get("CALLBACK_URL", self.address + "/webhook")
        # It remembers the confirmations that it started in memory. A real service gives a `store` that survives a
        # restart and that all processes share.
        self.client = countersign.Countersign(
            url=env.get("COUNTERSIGN_URL", "http://127.0.0.1:8787"),
            api_key=env["COUNTERSIGN_API_KEY"],
            # An app's own secret is better: give it as `webhook_secret`.
            webhook_keys="published",
            key_refetch_seconds=float(env.get("KEY_REFETCH_SECONDS", "10")),
        )
        self.webhook = WebhookHandler(self.client, on_verified=on_verified)

    def start(self, method: str, _headers: object, _body: bytes) -> Reply:
        """Starts a confirmation, to try the receiver by hand. A real service does so for a signed-in user."""
        if method != "POST":
            return Reply(405, "POST only")
        try:
            started = self.client.confirmations.acquire(callback_url=self.callback_url)
        except countersign.ProblemError as problem:
            return Reply(502, f"the service said {problem.status}: {problem.code}")
        except countersign.APIConnectionError:
            return Reply(502, "the service did not answer")
        shown = {
            "confirmationId": started.confirmation_id,
            "sendTo": started.send_to,
            "confirmationMessage": started.confirmation_message,
        }
        return Reply(200, json.dumps(shown), {"content-type": "application/json"})


class Handler(BaseHTTPRequestHandler):
    timeout = 10
    server: Receiver

    def answer(self) -> None:
        routes: dict[str, Callable[..., Reply]] = {"/webhook": self.server.webhook, "/start": self.server.start}
        route = routes.get(self.path.partition("?")[0])
        length = self.headers.get("content-length", "0")
        declared = int(length) if length.isdecimal() and len(length) < 10 else 2 * MAX_BODY
        # The raw bytes, and a little more than the limit, so that the sender can read our answer.
        body = self.rfile.read(min(declared, 2 * MAX_BODY))
        reply = route(self.command, self.headers, body) if route else Reply(404, "not found")
        content = reply.body.encode()
        self.send_response(reply.status)
        for name, value in {**reply.headers, "content-length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_PUT = do_DELETE = do_POST = answer

    def log_message(self, *_args: object) -> None:
        pass


if __name__ == "__main__":
    server = Receiver(os.environ)
    print(f"listening on {server.address}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
