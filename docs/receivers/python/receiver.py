"""A Countersign webhook receiver in Python 3.11 or later.

    pip install -r requirements.txt
    COUNTERSIGN_API_KEY=cs_live_... python receiver.py

../README.md lists the rules that it follows, and ../../webhooks.md explains them. The standard
library has no ECDSA, so the only dependency is `cryptography`. phone_number.py uses it, too.
"""

import base64
import binascii
import json
import os
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

MAX_BODY = 64 * 1024
KEYS_MAX_AGE = 5 * 60.0
OUTGOING_TIMEOUT = 5.0
LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class Refusal(Exception):
    """An answer that ends the handling of a request."""

    def __init__(self, status: int, text: str):
        super().__init__(text)
        self.status = status
        self.text = text


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args):
        return None


outgoing = urllib.request.build_opener(NoRedirect)


def key_from_jwk(jwk: dict) -> ec.EllipticCurvePublicKey:
    def number(text: str) -> int:
        return int.from_bytes(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), "big")

    numbers = ec.EllipticCurvePublicNumbers(number(jwk["x"]), number(jwk["y"]), ec.SECP256R1())
    return numbers.public_key()


class KeyRing:
    """The service's public keys by key id, kept as long as its `Cache-Control` allows."""

    def __init__(self, base_url: str, refetch_seconds: float):
        self._url = base_url + "/.well-known/jwks.json"
        self._refetch_seconds = refetch_seconds
        self._loaded = ({}, float("-inf"))
        self._tried_at = float("-inf")
        self._fetching = threading.Lock()

    def find(self, kid: str) -> ec.EllipticCurvePublicKey | None:
        """Returns the key, or None if the service has no such key. Raises if keys cannot be fetched."""
        if key := self._known(kid):
            return key
        with self._fetching:
            # Another thread may have fetched while we waited.
            if key := self._known(kid):
                return key
            # Anybody can send us invented key ids, so we do not fetch for each unknown one.
            if time.monotonic() - self._tried_at < self._refetch_seconds:
                raise Refusal(500, "cannot verify just now")
            self._tried_at = time.monotonic()
            self._fetch()
        return self._known(kid)

    def _known(self, kid: str) -> ec.EllipticCurvePublicKey | None:
        keys, loaded_at = self._loaded
        return keys.get(kid) if time.monotonic() - loaded_at < KEYS_MAX_AGE else None

    def _fetch(self) -> None:
        try:
            with outgoing.open(self._url, timeout=OUTGOING_TIMEOUT) as response:
                document = json.load(response)
            keys = {
                jwk["kid"]: key_from_jwk(jwk)
                for jwk in document["keys"]
                if jwk.get("kty") == "EC" and jwk.get("crv") == "P-256"
            }
        except Exception as cause:  # Whatever the cause, we have no keys.
            print("no keys:", cause, file=sys.stderr)
            raise Refusal(500, "cannot verify just now") from cause
        self._loaded = (keys, time.monotonic())


class Confirmations:
    """The confirmations that we started.

    In a real service this is a table, so that it survives a restart: `accept` is
    `UPDATE ... SET state = 'accepted' WHERE id = ? AND state = 'pending'`, in one transaction
    with everything that your service does about it.
    """

    def __init__(self):
        self._states: dict[str, str] = {}
        self._lock = threading.Lock()

    def remember(self, confirmation_id: str) -> None:
        """Call this when the service has answered, before a user sees the message."""
        with self._lock:
            self._states.setdefault(confirmation_id, "pending")

    def accept(self, confirmation_id: str) -> str:
        """Returns `accepted` the first time, `repeated` after that, and `unknown` if it is not ours."""
        with self._lock:
            state = self._states.get(confirmation_id)
            if state == "pending":
                self._states[confirmation_id] = "accepted"
                return "accepted"
            return "repeated" if state else "unknown"


def check_signature(keys: KeyRing, kid: str | None, signature: str | None, body: bytes) -> None:
    if not kid or not signature:
        raise Refusal(403, "signature missing")
    key = keys.find(kid)
    if key is None:
        raise Refusal(403, "signature refused")
    try:
        # The signature is DER, which `verify` expects.
        key.verify(base64.b64decode(signature, validate=True), body, ec.ECDSA(SHA256()))
    except (InvalidSignature, binascii.Error, ValueError):
        raise Refusal(403, "signature refused") from None


def parse_event(body: bytes) -> dict:
    try:
        event = json.loads(body)
        well_formed = (
            isinstance(event["confirmationId"], str)
            and isinstance(event["phoneNumber"], str)
            and event["validationStatus"] == "valid"
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        well_formed = False
    if not well_formed:
        raise Refusal(400, "not a confirmation")
    return event


def mask(number: str) -> str:
    return f"{number[:3]}***{number[-2:]}"


def on_verified(event: dict) -> None:
    """Replace this with what your service does with a verified number."""
    print("verified", mask(event["phoneNumber"]), flush=True)


class Receiver(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, env, handler=None):
        super().__init__(("127.0.0.1", int(env.get("PORT", "4000"))), handler or Handler)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self.base_url = env.get("COUNTERSIGN_URL", "http://127.0.0.1:8787").rstrip("/")
        parts = urlsplit(self.base_url)
        # Over plain http, anybody on the network path could send us a key of their own.
        if parts.scheme != "https" and parts.hostname not in LOOPBACK:
            raise SystemExit("COUNTERSIGN_URL must be https")
        self.api_key = env.get("COUNTERSIGN_API_KEY", "")
        self.callback_url = env.get("CALLBACK_URL", self.address + "/webhook")
        self.keys = KeyRing(self.base_url, float(env.get("KEY_REFETCH_SECONDS", "10")))
        self.confirmations = Confirmations()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10
    server: Receiver

    def webhook(self) -> tuple[int, str]:
        body = self.read_body()
        check_signature(
            self.server.keys,
            self.headers.get("x-signature-key-id"),
            self.headers.get("x-signature"),
            body,
        )
        event = parse_event(body)
        match self.server.confirmations.accept(event["confirmationId"]):
            case "accepted":
                on_verified(event)
                return 200, "accepted"
            case "repeated":
                return 200, "already accepted"
            case _:
                raise Refusal(404, "unknown confirmation")

    def start(self) -> tuple[int, str]:
        """Starts a confirmation, to try the receiver by hand. A real service does so for a signed-in user."""
        self.read_body()
        request = urllib.request.Request(
            self.server.base_url + "/acquire-phone-number",
            data=json.dumps({"callbackUrl": self.server.callback_url}).encode(),
            headers={"content-type": "application/json", "x-api-key": self.server.api_key},
        )
        try:
            with outgoing.open(request, timeout=OUTGOING_TIMEOUT) as response:
                text = response.read().decode()
        except urllib.error.HTTPError as refused:
            said = refused.read().decode(errors="replace")
            raise Refusal(502, f"the service said {refused.code}: {said}") from None
        except OSError:
            raise Refusal(502, "the service did not answer") from None
        self.server.confirmations.remember(json.loads(text)["confirmationId"])
        return 200, text

    def read_body(self) -> bytes:
        """Reads the raw bytes. The signature is of these bytes, never of a re-serialised body."""
        length = self.headers.get("content-length", "0")
        if "transfer-encoding" in self.headers or not length.isdecimal():
            raise Refusal(411, "content-length missing")  # http.server reads no chunked bodies.
        declared = int(length) if len(length) < 10 else 10**9
        try:
            # Reads a little more than the limit, so that the sender can read our answer.
            body = self.rfile.read(min(declared, 2 * MAX_BODY))
        except TimeoutError:
            raise Refusal(408, "body too slow") from None
        if declared > MAX_BODY:
            raise Refusal(413, "body too large")
        return body

    def answer(self) -> None:
        routes = {"/webhook": self.webhook, "/start": self.start}
        try:
            route = routes.get(self.path.partition("?")[0])
            if route is None:
                raise Refusal(404, "not found")
            if self.command != "POST":
                raise Refusal(405, "POST only")
            status, text = route()
        except Refusal as refusal:
            status, text = refusal.status, refusal.text
            self.close_connection = True  # The body may not have been read.
        except Exception:
            traceback.print_exc()
            status, text = 500, "internal error"
            self.close_connection = True
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", "application/json" if text[:1] == "{" else "text/plain")
        self.send_header("content-length", str(len(body)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_DELETE = do_POST = answer

    def log_message(self, *_args) -> None:
        pass


if __name__ == "__main__":
    receiver = Receiver(os.environ)
    print(f"listening on {receiver.address}", flush=True)
    try:
        receiver.serve_forever()
    except KeyboardInterrupt:
        pass
