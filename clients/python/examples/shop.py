"""A shop that verifies numbers, logs users in, and has payments approved. tests/test_shop.py tests it as a shop's
own tests would: without a phone."""

import secrets
from dataclasses import dataclass, field

from flask import Flask, Request, Response, abort, request, session
from flask.typing import ResponseReturnValue

from countersign import (
    Approval,
    ConfirmationSession,
    Countersign,
    Decided,
    KnownKey,
    Login,
    RecordMissingError,
    WebhookBody,
    to_json,
)
from countersign.flask import login, webhook
from countersign.limits import StartLimiter

CONTEXT = "Pay 20 EUR to Zoë"


@dataclass
class Tables:
    """A real shop stores these in its database."""

    numbers: dict[str, str | None] = field(default_factory=dict)
    """Numbers by the id of their confirmation, None until it is verified."""
    phone_keys: dict[str, KnownKey] = field(default_factory=dict)
    """Keys that phones registered while their user was logged in, by key id."""
    payments: dict[str, str] = field(default_factory=dict)
    """`open`, or the status of the result, by the id of the approval."""


def shop(client: Countersign, tables: Tables, *, origin: str, webhook_url: str) -> Flask:
    """Returns the shop's app.

    `origin` is that of its pages, and `webhook_url` where the service reaches it.
    """
    app = Flask(__name__)
    app.secret_key = secrets.token_bytes(32)
    app.config["SESSION_COOKIE_SAMESITE"] = "Lax"  # And SESSION_COOKIE_SECURE, over https.
    limiter = StartLimiter()

    def limit(phone_number: str | None = None) -> None:
        refusal = limiter.take(browser=session["id"], address=request.remote_addr, phone_number=phone_number)
        if refusal is not None:
            abort(Response("Please wait.", 429, {"retry-after": str(refusal.retry_after)}))

    @app.before_request
    def refuse_other_pages() -> None:
        """Otherwise, another site could start something here for its visitors. Webhooks are signed instead."""
        if (
            request.method == "POST"
            and request.path != "/webhook"
            and request.headers.get("origin") != origin
        ):
            abort(403)
        session.setdefault("id", secrets.token_urlsafe(32))

    # The number: <countersign-phone start="/number">

    @app.post("/number")
    def number() -> ResponseReturnValue:
        typed = request.get_json()
        limit(typed["phoneNumber"])
        started = client.confirmations.confirm(
            phone_number=typed["phoneNumber"],
            country=typed.get("country"),
            callback_url=webhook_url,
            client_channel=True,
            on_started=on_started,
        )
        return to_json(started)

    def on_started(started: ConfirmationSession) -> None:
        tables.numbers[started.confirmation_id] = None

    def on_verified(event: WebhookBody) -> None:
        if event.confirmation_id not in tables.numbers:
            raise RecordMissingError(event.confirmation_id)
        tables.numbers[event.confirmation_id] = event.phone_number

    # The login: what the page posts after the `confirmed` event of <countersign-login app-key="…">

    def on_login(login: Login, _request: Request) -> None:
        session.clear()
        session.update(id=secrets.token_urlsafe(32), user=login.user_id)

    find_key = tables.phone_keys.get
    app.post("/login")(login(client, origin=origin, find_key=find_key, on_login=on_login))

    # The approval: `session` of <countersign-login>, and what the page posts after its `confirmed` event

    @app.post("/pay")
    def pay() -> ResponseReturnValue:
        if "user" not in session:
            abort(401)
        limit()
        approval = client.approvals.start(
            origin=origin, context=CONTEXT, user_id=session["user"], on_started=on_payment
        )
        session["payment"] = approval.id
        return approval.session

    @app.post("/paid")
    def paid() -> ResponseReturnValue:
        id = session.get("payment")  # Never an id that the page names.
        if id is None:
            abort(404)
        client.approvals.result(id, find_key=find_key, on_result=on_approval)
        return {"payment": tables.payments[id]}

    def on_payment(approval: Approval) -> None:
        tables.payments[approval.id] = "open"

    def on_approval(result: Decided) -> None:
        if result.id not in tables.payments:
            raise RecordMissingError(result.id)
        tables.payments[result.id] = (
            result.status
        )  # If it is `approved`, the shop ships here: this runs once.

    # For numbers, and for approvals whose page was closed.
    app.post("/webhook")(webhook(client, on_verified=on_verified, on_approval=on_approval, find_key=find_key))
    return app
