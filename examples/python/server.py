"""A service whose users sign up by phone number and log in with their phone, in Python 3.11 or later.

docs/quickstart.md explains it step by step.
"""

import os
import secrets
import time
from pathlib import Path
from typing import Any

from countersign import Countersign, KnownKey, Login, ProblemError, RecordMissingError, to_json
from countersign.flask import login, webhook
from countersign.types import ConfirmationSession, WebhookBody
from flask import Flask, Request, Response, abort, render_template, request, session

SERVICE = os.environ["COUNTERSIGN_URL"]
APP_KEY = os.environ["COUNTERSIGN_APP_KEY"]
PORT = int(os.environ.get("PORT", "3000"))
ORIGIN = f"http://localhost:{PORT}"
CALLBACK_URL = f"http://127.0.0.1:{PORT}/webhook"

client = Countersign(
    url=SERVICE,
    api_key=os.environ["COUNTERSIGN_API_KEY"],
    app_key=APP_KEY,
    webhook_secret=os.environ["COUNTERSIGN_WEBHOOK_SECRET"],
)

# A real service stores these three in its database.
sessions: dict[str, dict[str, Any]] = {}
"""Sessions by the id in their cookie: `started` and `ends` while the user signs up, then `user`, with `registration`
while they set a phone up."""
numbers: dict[str, str | None] = {}
"""Numbers by the id of their confirmation, None until it is verified."""
phone_keys: dict[str, KnownKey] = {}
"""The public keys of users' phones, by key id."""

PAGES = Path(__file__).resolve().parent.parent / "pages"
app = Flask(
    __name__, template_folder=str(PAGES), static_folder=str(PAGES / "static"), static_url_path="/static"
)
# Flask signs its cookie, and makes it HttpOnly. With https, also set SESSION_COOKIE_SECURE.
app.config.update(
    SECRET_KEY=secrets.token_bytes(32), SESSION_COOKIE_SAMESITE="Lax", MAX_CONTENT_LENGTH=64 * 1024
)


@app.get("/")
def index() -> str:
    return render_template("index.html", service=SERVICE, appKey=APP_KEY)


@app.get("/sign-up")
def sign_up() -> str:
    return render_template("sign-up.html", service=SERVICE)


@app.get("/login")
def log_in() -> str:
    return render_template("login.html", service=SERVICE, appKey=APP_KEY)


@app.get("/account")
def account() -> dict:
    return {"user": current_session().get("user")}


@app.post("/log-out")
def log_out() -> dict:
    start_session()
    return {}


@app.post("/sign-up/phone")
def start_sign_up() -> dict:
    """Starts a confirmation for this browser. The element shows the answer, and asks the service for the status."""
    # Phones discard pages that the messages app covers. A page that is reloaded waits for the text of the first
    # page.
    current, now = current_session(), time.monotonic()
    expires_in = int(current.get("ends", 0) - now)
    if expires_in > 0:
        return {**current["started"], "expiresIn": expires_in}
    started = to_json(
        client.confirmations.acquire(
            callback_url=CALLBACK_URL, client_channel=True, on_started=record_confirmation
        )
    )
    start_session(started=started, ends=now + started["expiresIn"])
    return started


def record_confirmation(started: ConfirmationSession) -> None:
    """Runs before the page can show the confirmation, and so before a text can arrive."""
    numbers[started.confirmation_id] = None


def on_verified(event: WebhookBody) -> None:
    """Runs once for each confirmation that this server started, however often its webhook arrives."""
    if event.confirmation_id not in numbers:
        # Otherwise, the number would be lost: the webhook is only sent again if this raises.
        raise RecordMissingError(event.confirmation_id)
    numbers[event.confirmation_id] = event.phone_number


app.post("/webhook")(webhook(client, on_verified=on_verified))


@app.post("/sign-up/finish")
def finish_sign_up() -> tuple[dict | str, int]:
    """Logs the browser in if the webhook of its confirmation has arrived. The page's report counts for nothing."""
    user = numbers.get(current_session().get("started", {}).get("confirmationId"))
    if user is None:
        return {}, 202
    # A text is not enough for an account that has a phone: its owner may have been talked into sending it.
    if phone_of(user):
        start_session()
        return "This number has an account.", 409
    start_session(user=user)
    return {"user": user}, 200


@app.post("/phone-keys")
def add_phone_key() -> dict | tuple[str, int]:
    """Stores the key of the user's first phone. From then on, proofs by it log this user in."""
    user = current_session().get("user")
    if user is None:
        return "Please log in.", 401
    sent = request.get_json(force=True, silent=True)
    # The signature shows that the phone has the private key. Without it, a phone could claim another phone's
    # key.
    if not isinstance(sent, dict) or not sent.get("signature"):
        return "This is not a key with its signature.", 422
    public_key = sent.get("publicKey")
    known = phone_of(user)
    if known and known.public_key != public_key:
        return "This account has a phone.", 409
    try:
        registered = client.association_keys.register(
            public_user_id=user, public_key=public_key, signature=sent["signature"]
        )
    except ProblemError:
        return "This is not a key of this account.", 422
    phone_keys[registered.key_id] = KnownKey(public_key, user)
    return {"keyId": registered.key_id}


@app.post("/phones")
def start_phone() -> dict | tuple[str, int]:
    """Starts to set up a phone without an app for this user. The element shows the answer."""
    current = current_session()
    user = current.get("user")
    if user is None:
        return "Please log in.", 401
    if phone_of(user):
        return "This account has a phone.", 409
    started = client.phone_registrations.create(public_user_id=user)
    current["registration"] = started.registration_id
    return to_json(started)


@app.post("/phones/finish")
def finish_phone() -> dict | tuple[str, int]:
    """Stores the key of the phone that this browser's user has set up. The page's own report is not trusted."""
    current = current_session()
    if "registration" not in current:
        return "Please log in.", 401
    user, registration = current["user"], client.phone_registrations.get(current["registration"])
    keys = client.association_keys.list(public_user_id=user)
    key = next((one for one in keys if one.key_id == registration.key_id), None)
    if registration.state != "completed" or key is None:
        return "The phone is not set up.", 422
    known = phone_of(user)
    if known and known.public_key != key.public_key:
        client.association_keys.revoke(key.key_id)
        return "This account has a phone.", 409
    phone_keys[key.key_id] = KnownKey(key.public_key, user, key.kind, key.rp_id, key.origin)
    return {"keyId": key.key_id}


def phone_of(user: str) -> KnownKey | None:
    return next((key for key in phone_keys.values() if key.user_id == user), None)


def on_login(login: Login, _: Request) -> None:
    """Runs once for each login whose proof one of our keys signed and that matches this browser's data."""
    start_session(user=login.user_id)


app.post("/login")(login(client, origin=ORIGIN, find_key=phone_keys.get, on_login=on_login))


def start_session(**values: Any) -> None:
    """Gives the browser a new session in place of its old one."""
    sessions.pop(session.get("id"), None)
    session["id"] = secrets.token_urlsafe(32)
    sessions[session["id"]] = values


def current_session() -> dict[str, Any]:
    return sessions.get(session.get("id"), {})


@app.before_request
def refuse_other_pages() -> None:
    """Otherwise, another site could act here for its visitors. Webhooks are protected by their signature instead."""
    if request.method == "POST" and request.path != "/webhook" and request.headers.get("origin") != ORIGIN:
        abort(403)


@app.after_request
def protect(response: Response) -> Response:
    socket = SERVICE.replace("http", "ws", 1)
    response.headers["cache-control"] = "no-store"
    response.headers["content-security-policy"] = (
        f"default-src 'none'; script-src 'self' {SERVICE}; style-src 'self'; img-src data:; "
        f"connect-src 'self' {SERVICE} {socket}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    response.headers["x-content-type-options"] = "nosniff"
    return response


if __name__ == "__main__":
    app.run("localhost", PORT)
