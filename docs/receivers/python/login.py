"""A server that logs browsers in by Countersign's proofs, in Python 3.11 or later, with PyJWT.

    pip install -r requirements.txt
    APP_KEY=cs_app_... ORIGIN=https://shop.example KEYS=keys.json python login.py

../README.md lists the rules that it follows, and ../../logins.md explains them.
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_public_key

MAX_BODY = 64 * 1024
MAX_PROOF = 2048
LIFETIME_SECONDS = 300
CLOCK_TOLERANCE_SECONDS = 60
CLAIMS = {"act", "app", "aud", "exp", "iat", "jti", "pay"}


class Refusal(Exception):
    """A response that ends the handling of a request. Only the log gets the reason."""

    def __init__(self, status: int, text: str, reason: str | None = None):
        super().__init__(reason or text)
        self.status = status
        self.text = text


def holds(condition: bool, reason: str) -> None:
    if not condition:
        raise Refusal(403, "not logged in", reason)


class Known(NamedTuple):
    """A public key and the user whom it is registered for."""

    key: ec.EllipticCurvePublicKey
    owner: str


def base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def key_id(key: ec.EllipticCurvePublicKey) -> str:
    """Computes the key's JWK thumbprint (RFC 7638)."""
    numbers = key.public_numbers()
    x, y = (base64url(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
    jwk = f'{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}'
    return base64url(hashlib.sha256(jwk.encode()).digest())


def read_keys(file: str) -> dict[str, Known]:
    """Reads the users' public keys, by key id. In a real service this is a table; see the README."""
    keys = {}
    with open(file, encoding="utf-8") as opened:
        entries = json.load(opened)
    for entry in entries:
        key = load_der_public_key(base64.b64decode(entry["publicKey"], validate=True))
        if not isinstance(key, ec.EllipticCurvePublicKey) or key.curve.name != "secp256r1":
            raise SystemExit("not a P-256 key")
        keys[key_id(key)] = Known(key, entry["publicUserId"])
    return keys


def header_of(kid: str) -> str:
    """Returns the header of a proof by this key. Headers of proofs differ only in `kid`."""
    return base64url(f'{{"alg":"ES256","kid":"{kid}","typ":"countersign-login+jwt"}}'.encode())


def pay_of(payload: str, salt: str) -> str:
    """Computes the claim `pay` of a payload and its salt."""
    try:
        raw = base64.urlsafe_b64decode(salt + "==")
    except ValueError:
        raw = b""
    holds(len(raw) == 16 and base64url(raw) == salt, "the salt is malformed")
    return base64url(hashlib.sha256(b"countersign/pay/1\0" + raw + payload.encode()).digest())


class Verifier:
    """Verifies the proofs of logins."""

    def __init__(self, app_key: str, origin: str, keys: dict[str, Known]):
        self.app_key = app_key
        self.origin = origin
        self.keys = keys

    def verify(self, session_id: str, payload: str, salt: str, proof: str) -> str:
        """Returns the user who confirmed the login. Raises a Refusal if the proof breaks a rule."""
        holds(len(proof) <= MAX_PROOF, "the proof is too long")
        try:
            kid = jwt.get_unverified_header(proof).get("kid")
        except (jwt.InvalidTokenError, UnicodeError):
            kid = None
        known = self.keys.get(kid) if isinstance(kid, str) else None
        holds(known is not None, "the key is unknown")
        # Comparing the whole header refuses other spellings and other members, such as `crit`.
        holds(proof.split(".")[0] == header_of(kid), "the header is not that of a proof")
        try:
            claims = jwt.decode(
                proof,
                known.key,
                algorithms=["ES256"],
                audience=self.origin,
                leeway=CLOCK_TOLERANCE_SECONDS,
                options={"require": ["exp", "iat", "aud", "jti"], "strict_aud": True},
            )
        except (jwt.InvalidTokenError, UnicodeError) as cause:
            raise Refusal(403, "not logged in", f"not valid: {type(cause).__name__}") from None
        self.check(claims, known, session_id)
        pay = claims["pay"] if isinstance(claims["pay"], str) else ""
        fits = hmac.compare_digest(pay.encode(), pay_of(payload, salt).encode())
        holds(fits, "for another payload")
        return known.owner

    def check(self, claims: dict, known: Known, session_id: str) -> None:
        # There is no `ctx`, since this page's logins have no context.
        holds(claims.keys() - {"sub"} == CLAIMS, "the claims are not those of a proof")
        holds(claims["app"] == self.app_key, "for another app")
        holds(claims["aud"] == self.origin, "for another origin")
        holds(claims["jti"] == session_id, "for another session")
        holds(claims["act"] == "confirm", "for another action")
        iat, exp = claims["iat"], claims["exp"]
        whole = type(iat) is int and type(exp) is int
        holds(whole and exp - iat == LIFETIME_SECONDS, "the lifetime is not that of a proof")
        holds(iat <= time.time() + CLOCK_TOLERANCE_SECONDS, "from the future")
        holds(claims.get("sub", known.owner) == known.owner, "the key belongs to another user")


class UsedSessions:
    """The sessions that have logged a user in.

    In a real service this is a table, so that it survives a restart and all processes share it:
    `take` is `INSERT ... ON CONFLICT DO NOTHING`, and true if it wrote a row. Delete rows after
    ten minutes, when every proof of the session has expired.
    """

    def __init__(self):
        self._ids: set[str] = set()
        self._lock = threading.Lock()

    def take(self, session_id: str) -> bool:
        with self._lock:
            free = session_id not in self._ids
            self._ids.add(session_id)
            return free


def on_login(user: str) -> None:
    """Replace this with what your service does to log a user in."""
    print("logged in", user, flush=True)


def parse_detail(body: bytes) -> dict[str, str]:
    try:
        detail = json.loads(body.decode())
        members = {name: detail[name] for name in ("sessionId", "payload", "salt", "proof")}
        for member in members.values():
            member.encode()  # Raises for what is not text, and for half a surrogate pair.
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Refusal(400, "not a login") from None
    return members


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, env):
        super().__init__(("127.0.0.1", int(env.get("PORT", "4001"))), Handler)
        keys = read_keys(env.get("KEYS", "keys.json"))
        self.verifier = Verifier(env["APP_KEY"], env["ORIGIN"], keys)
        self.used = UsedSessions()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10
    server: Server

    def login(self) -> str:
        verifier = self.server.verifier
        # Otherwise another site could log its visitors in here.
        holds(self.headers.get("origin") == verifier.origin, "the request comes from another page")
        detail = parse_detail(self.read_body())
        session_id = detail["sessionId"]
        user = verifier.verify(session_id, detail["payload"], detail["salt"], detail["proof"])
        # Last, so that a refused proof does not use up the session.
        holds(self.server.used.take(session_id), "the session was used before")
        on_login(user)
        return "logged in"

    def read_body(self) -> bytes:
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
        status = 200
        try:
            if self.path.partition("?")[0] != "/login":
                raise Refusal(404, "not found")
            if self.command != "POST":
                raise Refusal(405, "POST only")
            text = self.login()
        except Refusal as refusal:
            print("refused:", refusal, file=sys.stderr, flush=True)
            status, text = refusal.status, refusal.text
            self.close_connection = True  # The body may not have been read.
        except Exception:
            traceback.print_exc()
            status, text = 500, "internal error"
            self.close_connection = True
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", "text/plain; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_DELETE = do_POST = answer

    def log_message(self, *_args) -> None:
        pass


if __name__ == "__main__":
    if not os.environ.get("APP_KEY") or not os.environ.get("ORIGIN"):
        raise SystemExit("set APP_KEY and ORIGIN")
    server = Server(os.environ)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
