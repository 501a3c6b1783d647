"""A server that logs browsers in by Countersign's proofs, in Python 3.11 or later.

    ../../../scripts/pack.sh python
    pip install -r requirements.txt
    COUNTERSIGN_API_KEY=cs_live_... APP_KEY=cs_app_... ORIGIN=https://shop.example KEYS=keys.json python login.py

../README.md lists what it answers, and ../../logins.md explains the rules, which the library `countersign` follows.
With FastAPI, Flask or Django, use the library's handlers for these.
"""

import json
import os
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from countersign import Countersign, KnownKey, Login, key_id
from countersign.handlers import MAX_BODY, LoginHandler, Reply


def read_keys(file: str) -> dict[str, KnownKey]:
    """Reads the users' public keys, by key id. In a real service this is a table; see the README."""
    with open(file, encoding="utf-8") as opened:
        entries = json.load(opened)
    keys = [KnownKey(entry["publicKey"], entry["publicUserId"]) for entry in entries]
    return {key_id(key.public_key): key for key in keys}


def on_login(login: Login, _context: object) -> None:
    """Replace this with what your service does to log a user in."""
    print("logged in", login.user_id, flush=True)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, env: Mapping[str, str]) -> None:
        super().__init__(("127.0.0.1", int(env.get("PORT", "4001"))), Handler)
        # It asks the service for nothing but the time, and goes by its own clock if it cannot.
        # It keeps used logins in memory. In a real service, give it a store that all processes share.
        client = Countersign(
            url=env.get("COUNTERSIGN_URL", "http://127.0.0.1:8787"),
            api_key=env["COUNTERSIGN_API_KEY"],
            app_key=env["APP_KEY"],
        )
        keys = read_keys(env.get("KEYS", "keys.json"))
        self.login = LoginHandler(client, origin=env["ORIGIN"], find_key=keys.get, on_login=on_login)


class Handler(BaseHTTPRequestHandler):
    timeout = 10
    server: Server

    def answer(self) -> None:
        length = self.headers.get("content-length", "0")
        declared = int(length) if length.isdecimal() and len(length) < 10 else 2 * MAX_BODY
        # A little more than the limit, so that the sender can read our answer.
        body = self.rfile.read(min(declared, 2 * MAX_BODY))
        if self.path.partition("?")[0] == "/login":
            reply: Reply = self.server.login(self.command, self.headers, body)
        else:
            reply = Reply(404, "not found")
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body.encode())

    do_GET = do_PUT = do_DELETE = do_POST = answer

    def log_message(self, *_args: object) -> None:
        pass


if __name__ == "__main__":
    for name in ("COUNTERSIGN_API_KEY", "APP_KEY", "ORIGIN"):
        if not os.environ.get(name):
            raise SystemExit(f"set {name}")
    server = Server(os.environ)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
