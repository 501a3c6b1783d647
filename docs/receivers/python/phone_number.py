"""A server that proves phone numbers with Countersign, in Python 3.11 or later.

    pip install ../../../clients/python
    COUNTERSIGN_API_KEY=cs_live_... python phone_number.py

../../phone-numbers.md explains it. The library `countersign` verifies the webhooks; ../page is the page.
"""

import json
import math
import os
import re
import secrets
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from http.cookies import CookieError, SimpleCookie
from pathlib import Path

import countersign
from countersign.handlers import MAX_BODY, Reply, WebhookHandler
from countersign.store import Acceptance
from countersign.types import ConfirmationSession, WebhookBody

import receiver
from receiver import mask

HEARTBEAT = 15.0
# The most streams of events for one check. Further ones are refused, and their pages poll.
MAX_STREAMS = 4

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


class Refusal(Exception):
    """An answer that ends the handling of a request."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.reply = Reply(status, text)


@dataclass
class Check:
    """An attempt of one browser session to prove a number.

    Its `id` is ours, so that a page never handles a `confirmationId`, and it is worth nothing
    without the session's cookie. `phone_number` is the number to confirm, or None; `started` is
    the service's answer.
    """

    session: str
    phone_number: str | None
    started: ConfirmationSession
    grace: float
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    ended: str | None = None
    verified_number: str | None = None
    streams: int = 0

    def __post_init__(self) -> None:
        # Not by `expiresAt`: this clock may be wrong.
        self.expires_at = time.time() + self.started.expires_in
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
                    "message": self.started.confirmation_message,
                    "sendTo": self.started.send_to,
                    "uri": asdict(self.started.confirmation_uri),
                }
            case _:
                return {"id": self.id, "state": "expired"}


class Checks:
    """All checks, which are the store of confirmations at the same time.

    In a real service this is a table, with an index on the confirmation's id: `accept` is
    `UPDATE ... WHERE confirmation_id = ? AND state = 'open' AND deadline > now()`, in one
    transaction with everything that your service does about it. Delete rows after eight days: until
    then, webhooks may be sent again.
    """

    def __init__(self) -> None:
        self._by_id: dict[str, Check] = {}
        self._by_confirmation: dict[str, Check] = {}
        self._by_session: dict[str, Check] = {}
        self.changed = threading.Condition()

    def add(self, check: Check) -> None:
        with self.changed:
            self._by_id[check.id] = check
            self._by_confirmation[check.started.confirmation_id] = check
            self._by_session[check.session] = check

    def find(self, check_id: str, session: str | None) -> Check:
        """Returns a check of this session. Another session's is as unknown as one that does not exist."""
        check = self._by_id.get(check_id)
        if check is None or check.session != session:
            raise Refusal(404, "unknown check")
        return check

    def latest(self, session: str) -> Check | None:
        return self._by_session.get(session)

    def remember(self, id: str, ttl_seconds: int) -> None:
        """Does nothing, since `add` stores the confirmation with its check."""

    def accept(self, id: str, act: Callable[[], None]) -> Acceptance:
        """Ends a check because of a webhook."""
        with self.changed:
            check = self._by_confirmation.get(id)
            if check is None:
                return "unknown"
            before = check.state
            if before == "open":
                act()
            elif before == "expired":
                # The user has been told to start again, so a late webhook must not change anything.
                check.ended = "late"
                print("too late:", id, flush=True)
            self.changed.notify_all()
            return "accepted" if before == "open" else "repeated"

    def verify(self, event: WebhookBody) -> None:
        """Acts on a number. Replace this with what your service does with one that is verified for a session."""
        check = self._by_confirmation[event.confirmation_id]
        check.ended, check.verified_number = "verified", event.phone_number
        print("verified", mask(event.phone_number), flush=True)


def refusal_of(error: countersign.CountersignError) -> Refusal:
    """Returns what the user is told about a failure. Only the log gets its code."""
    problem = error if isinstance(error, countersign.ProblemError) else None
    if problem and problem.code.startswith("phone_number_"):
        return Refusal(422, "This is not a phone number in international form, such as +1 202 555 0100.")
    log(f"no confirmation: {problem.code} ({problem.request_id})" if problem else f"no confirmation: {error}")
    busy = problem and problem.status in (429, 503)
    return Refusal(503, "Please try again in a minute." if busy else "This does not work at the moment.")


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Server(receiver.Server):
    def __init__(self, env: Mapping[str, str]) -> None:
        self.checks = Checks()
        super().__init__(env, Handler, self.checks)
        self.webhook = WebhookHandler(self.client, on_verified=self.checks.verify)
        self.grace = float(env.get("GRACE_SECONDS", "10"))
        self.origin = env.get("ORIGIN", self.address)
        self.cookie, self.cookie_attributes = "session", "Path=/; HttpOnly; SameSite=Lax"
        if self.origin.startswith("https:"):
            # Browsers let no other host set a cookie with this prefix.
            self.cookie, self.cookie_attributes = "__Host-session", self.cookie_attributes + "; Secure"

    def start_confirmation(self, phone_number: str | None) -> ConfirmationSession:
        confirmations = self.client.confirmations
        try:
            if phone_number is None:
                return confirmations.acquire(callback_url=self.callback_url)
            return confirmations.confirm(callback_url=self.callback_url, phone_number=phone_number)
        except countersign.CountersignError as error:
            raise refusal_of(error) from None

    def cancel(self, check: Check) -> None:
        try:
            self.client.confirmations.cancel(check.started.confirmation_id)
        except countersign.CountersignError:
            pass  # It has ended, or will soon.


class Handler(receiver.RequestHandler):
    server: Server

    def webhook(self) -> Reply:
        reply = self.server.webhook(self.command, self.headers, self.read_body())
        return Reply(200, "already ended") if reply.body == "already accepted" else reply

    def start(self) -> Reply:
        body = self.read_body()
        if len(body) > MAX_BODY:
            raise Refusal(413, "body too large")
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

    def page(self) -> Reply:
        """Returns the page, with a session for a browser that has none."""
        text, headers = FILES["/"]
        if self.session() is None:
            value = f"{self.server.cookie}={secrets.token_urlsafe(32)}; {self.server.cookie_attributes}"
            headers = headers | {"set-cookie": value}
        return Reply(200, text, headers)

    def json(self, value: dict) -> Reply:
        return Reply(200, json.dumps(value), {"content-type": "application/json"})

    def route(self) -> Reply | None:
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
            return Reply(200, *FILES[path])
        check = self.server.checks.find(found[1], self.session())
        return self.stream(check) if found[2] else self.json(check.view())

    def head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def answer(self) -> None:
        try:
            reply = self.route()
        except Refusal as refusal:
            reply = refusal.reply
        except Exception as error:
            log(f"internal error: {error!r}")
            reply = Reply(500, "internal error")
        if reply is not None:
            self.reply(Reply(reply.status, reply.body, {**HEADERS, **reply.headers}))

    do_GET = do_PUT = do_DELETE = do_POST = answer


if __name__ == "__main__":
    receiver.serve(Server(os.environ))
