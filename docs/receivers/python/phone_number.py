"""A server that proves phone numbers with Countersign, in Python 3.11 or later.

    pip install -r requirements.txt
    COUNTERSIGN_API_KEY=cs_live_... python phone_number.py

../../phone-numbers.md explains it. receiver.py verifies the webhooks; ../page is the page.
"""

import json
import math
import os
import re
import secrets
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass, field
from datetime import datetime
from http.cookies import CookieError, SimpleCookie
from pathlib import Path

import receiver
from receiver import OUTGOING_TIMEOUT, Refusal, check_signature, mask, outgoing, parse_event

HEARTBEAT = 15.0
# The most streams of events for one check. Further ones are refused, and their pages poll.
MAX_STREAMS = 4

TEXT = {"content-type": "text/plain; charset=utf-8"}
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
PAGE = Path(__file__).parent.parent / "page"
FILES = {
    "/" if name == "index.html" else f"/{name}": (
        (PAGE / name).read_text(encoding="utf-8"),
        {"content-type": TYPES[Path(name).suffix] + "; charset=utf-8"},
    )
    for name in ("index.html", "page.css", "page.js", "qr.js")
}

HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}

# Status, text and headers.
Answer = tuple[int, str, dict[str, str]]


@dataclass
class Check:
    """An attempt of one browser session to prove a number.

    Its `id` is ours, so that a page never handles a `confirmationId`, and it is worth nothing
    without the session's cookie. `phone_number` is the number to confirm, or None; `started` is
    the service's answer.
    """

    session: str
    phone_number: str | None
    started: dict
    grace: float
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    ended: str | None = None
    verified_number: str | None = None
    streams: int = 0

    def __post_init__(self):
        self.expires_at = datetime.fromisoformat(self.started["expiresAt"]).timestamp()
        # A text that arrived in time may need a few seconds to become a webhook.
        self.deadline = self.expires_at + self.grace

    @property
    def state(self) -> str:
        if self.ended:
            return self.ended
        return "open" if time.time() < self.deadline else "expired"

    def view(self) -> dict:
        """Returns what the page shows."""
        match self.state:
            case "verified":
                return {"id": self.id, "state": "verified", "phoneNumber": self.verified_number}
            case "open":
                return {
                    "id": self.id,
                    "state": "open",
                    "secondsLeft": max(0, math.ceil(self.expires_at - time.time())),
                    "message": self.started["confirmationMessage"],
                    "sendTo": self.started["sendTo"],
                    "uri": self.started["confirmationUri"],
                }
            case _:
                return {"id": self.id, "state": "expired"}


class Checks:
    """All checks.

    In a real service this is a table, with an index on the confirmation's id: `end` is
    `UPDATE ... WHERE confirmation_id = ? AND state = 'open' AND deadline > now()`, in one
    transaction with everything that your service does about it. Delete rows after two days: until
    then, webhooks are retried.
    """

    def __init__(self):
        self._by_id: dict[str, Check] = {}
        self._by_confirmation: dict[str, Check] = {}
        self._by_session: dict[str, Check] = {}
        self.changed = threading.Condition()

    def add(self, check: Check) -> None:
        with self.changed:
            self._by_id[check.id] = check
            self._by_confirmation[check.started["confirmationId"]] = check
            self._by_session[check.session] = check

    def find(self, check_id: str, session: str | None) -> Check:
        """Returns a check of this session. Another session's is as unknown as one that does not exist."""
        check = self._by_id.get(check_id)
        if check is None or check.session != session:
            raise Refusal(404, "unknown check")
        return check

    def latest(self, session: str) -> Check | None:
        return self._by_session.get(session)

    def end(self, confirmation_id: str, phone_number: str) -> tuple[Check | None, str]:
        """Ends a check because of a webhook. Returns it, and the state that it had."""
        with self.changed:
            check = self._by_confirmation.get(confirmation_id)
            if check is None:
                return None, "unknown"
            before = check.state
            if before == "open":
                check.ended, check.verified_number = "verified", phone_number
            elif before == "expired":
                check.ended = "late"
            self.changed.notify_all()
            return check, before


def on_verified(check: Check) -> None:
    """Replace this with what your service does with a number that is verified for a session."""
    print("verified", mask(check.verified_number), flush=True)


def refusal_of(status: int, body: bytes | str) -> Refusal:
    """Returns what the user is told about a problem. Only the log gets its code."""
    try:
        problem = json.loads(body)
        code, request_id = problem["code"], problem["requestId"]
    except (ValueError, KeyError, TypeError):
        code, request_id = f"status {status}", "no problem document"
    if code.startswith("phone_number_"):
        return Refusal(
            422, "This is not a phone number in international form, such as +1 202 555 0100."
        )
    print(f"no confirmation: {code} ({request_id})", file=sys.stderr, flush=True)
    busy = status in (429, 503)
    text = "Please try again in a minute." if busy else "This does not work at the moment."
    return Refusal(503, text)


class Server(receiver.Receiver):
    def __init__(self, env):
        super().__init__(env, Handler)
        self.checks = Checks()
        self.grace = float(env.get("GRACE_SECONDS", "10"))
        self.origin = env.get("ORIGIN", self.address)
        self.cookie, self.cookie_attributes = "session", "Path=/; HttpOnly; SameSite=Lax"
        if self.origin.startswith("https:"):
            # Browsers let no other host set a cookie with this prefix.
            self.cookie, self.cookie_attributes = "__Host-session", self.cookie_attributes + "; Secure"

    def call(self, method: str, path: str, body: dict | None = None, headers: dict | None = None) -> dict:
        request = urllib.request.Request(
            self.base_url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"x-api-key": self.api_key} | (headers or {}),
        )
        with outgoing.open(request, timeout=OUTGOING_TIMEOUT) as response:
            return json.load(response)

    def start_confirmation(self, phone_number: str | None) -> dict:
        """Starts a confirmation. With the same key, repeating the request starts no second one."""
        path, body = "/acquire-phone-number", {"callbackUrl": self.callback_url}
        if phone_number is not None:
            path, body = "/make-confirmation", body | {"phoneNumber": phone_number}
        headers = {"content-type": "application/json", "idempotency-key": str(uuid.uuid4())}
        for last in (False, True):
            try:
                return self.call("POST", path, body, headers)
            except urllib.error.HTTPError as answer:
                if answer.code < 500 or last:
                    raise refusal_of(answer.code, answer.read()) from None
            except OSError:
                if last:
                    raise refusal_of(0, "") from None
        raise AssertionError("unreachable")

    def cancel(self, check: Check) -> None:
        try:
            self.call("DELETE", f"/confirmations/{check.started['confirmationId']}")
        except OSError:
            pass  # It has ended, or will soon.


class Handler(receiver.Handler):
    server: Server

    def webhook(self) -> Answer:
        body = self.read_body()
        kid, signature = self.headers.get("x-signature-key-id"), self.headers.get("x-signature")
        check_signature(self.server.keys, kid, signature, body)
        event = parse_event(body)
        check, before = self.server.checks.end(event["confirmationId"], event["phoneNumber"])
        if check is None:
            raise Refusal(404, "unknown confirmation")
        if before == "open":
            on_verified(check)
            return 200, "accepted", TEXT
        # The user has been told to start again, so a late webhook must not change anything.
        if before == "expired":
            print("too late:", mask(event["phoneNumber"]), flush=True)
        return 200, "already ended", TEXT

    def start(self) -> Answer:
        body = self.read_body()
        # Otherwise another site could start checks for its visitors here.
        if self.headers.get("origin") != self.server.origin:
            raise Refusal(403, "the request comes from another page")
        session = self.session()
        if session is None:
            raise Refusal(403, "Please allow cookies and reload the page.")
        phone_number = self.parse_start(body)
        previous = self.server.checks.latest(session)
        still_open = previous is not None and previous.state == "open"
        if still_open and previous.phone_number == phone_number:
            return self.json(previous.view())
        started = self.server.start_confirmation(phone_number)
        check = Check(session, phone_number, started, self.server.grace)
        self.server.checks.add(check)
        if still_open:
            # This is a courtesy: confirmations that nobody waits for count towards the app's quota.
            threading.Thread(target=self.server.cancel, args=(previous,), daemon=True).start()
        return self.json(check.view())

    def parse_start(self, body: bytes) -> str | None:
        try:
            phone_number = json.loads(body).get("phoneNumber")
        except (ValueError, AttributeError, RecursionError):
            raise Refusal(400, "not a start") from None
        if not isinstance(phone_number, str | None):
            raise Refusal(400, "not a start")
        return phone_number

    def stream(self, check: Check) -> None:
        """Streams a check's view at each change, and now and then, so that proxies keep the connection.

        Each stream keeps a thread. A real service with many users uses an asynchronous framework.
        """
        changed = self.server.checks.changed
        with changed:
            if check.streams >= MAX_STREAMS:
                raise Refusal(429, "too many streams")
            check.streams += 1
        self.close_connection = True
        try:
            self.head(200, {"content-type": "text/event-stream", "x-accel-buffering": "no"})
            while True:
                view = check.view()
                self.wfile.write(f"data: {json.dumps(view)}\n\n".encode())
                if view["state"] != "open":
                    return
                with changed:
                    left = max(0.0, check.deadline - time.time())
                    changed.wait_for(lambda: check.state != "open", min(HEARTBEAT, left))
        except OSError:
            pass  # The page is gone.
        finally:
            with changed:
                check.streams -= 1

    def session(self) -> str | None:
        """Returns the browser's session. A real service uses its own sessions."""
        try:
            cookie = SimpleCookie(self.headers.get("cookie", "")).get(self.server.cookie)
        except CookieError:
            cookie = None
        return cookie.value if cookie and re.fullmatch(r"[\w-]{43}", cookie.value, re.ASCII) else None

    def page(self) -> Answer:
        """Returns the page, with a session for a browser that has none."""
        text, headers = FILES["/"]
        if self.session() is None:
            value = f"{self.server.cookie}={secrets.token_urlsafe(32)}; {self.server.cookie_attributes}"
            headers = headers | {"set-cookie": value}
        return 200, text, headers

    def json(self, value: dict) -> Answer:
        return 200, json.dumps(value), {"content-type": "application/json"}

    def route(self) -> Answer | None:
        path = self.path.partition("?")[0]
        found = re.fullmatch(r"/checks/([\w-]{22})(/events)?", path, re.ASCII)
        method = "POST" if path in ("/checks", "/webhook") else "GET"
        if not found and path not in FILES and method == "GET":
            raise Refusal(404, "not found")
        if self.command != method:
            raise Refusal(405, f"{method} only")
        if path == "/webhook":
            return self.webhook()
        if path == "/checks":
            return self.start()
        if path == "/":
            return self.page()
        if not found:
            return 200, *FILES[path]
        check = self.server.checks.find(found[1], self.session())
        return self.stream(check) if found[2] else self.json(check.view())

    def head(self, status: int, headers: dict) -> None:
        self.send_response(status)
        for name, value in (HEADERS | headers).items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()

    def answer(self) -> None:
        try:
            answered = self.route()
            if answered is None:
                return
            status, text, headers = answered
        except Refusal as refusal:
            status, text, headers = refusal.status, refusal.text, TEXT
            self.close_connection = True  # The body may not have been read.
        except Exception:
            traceback.print_exc()
            status, text, headers = 500, "internal error", TEXT
            self.close_connection = True
        body = text.encode()
        self.head(status, headers | {"content-length": str(len(body))})
        self.wfile.write(body)

    do_GET = do_PUT = do_DELETE = do_POST = answer


if __name__ == "__main__":
    server = Server(os.environ)
    print(f"listening on {server.address}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
