"""Mounts the handlers of each framework, and uses what extras bring, with the types that mypy and pyright accept."""

import fastapi
import flask
from django.urls import path
from flask.typing import ResponseReturnValue
from limits.storage import storage_from_string

import countersign.django
import countersign.fastapi
import countersign.flask
from countersign import AsyncCountersign, Countersign, Decided
from countersign.limits import Limit, StartLimiter, StartRefusal
from countersign.testing import TestPhone, start_test_login
from countersign.types import WebhookBody


def on_verified(event: WebhookBody) -> None:
    print(len(event.phone_number))


def on_approval(result: Decided) -> None:
    print(result.user_id if result.status == "approved" else result.reason)


client = Countersign(url="https://countersign.example", api_key="cs_live_secret", app_key="cs_app_test", webhook_secret="whsec_" + 32 * "A")

flask_app = flask.Flask(__name__)
flask_app.post("/webhook")(
    countersign.flask.webhook(client, on_verified=on_verified, on_approval=on_approval)
)
limiter = StartLimiter(per_number=Limit(3, 3600), storage=storage_from_string("memory://"))


@flask_app.post("/pay")
def pay() -> ResponseReturnValue:
    refusal: StartRefusal | None = limiter.take(browser="1", address=flask.request.remote_addr)
    if refusal is not None:
        return "Please wait.", 429, {"retry-after": str(refusal.retry_after)}
    approval = client.approvals.start(origin="https://shop.example", context="Pay 20 EUR", user_id="zoe")
    return approval.session


def log_in_without_a_phone(client: Countersign) -> str:
    opened = TestPhone(client, user_id="zoe").open(start_test_login(client, origin="https://shop.example").url)
    return opened.confirm()["proof"]


urlpatterns = [path("webhook", countersign.django.webhook(client, on_verified=on_verified))]


def fastapi_app(asynchronous: AsyncCountersign) -> fastapi.FastAPI:
    app = fastapi.FastAPI()
    app.post("/webhook")(countersign.fastapi.webhook(asynchronous, on_verified=on_verified))
    return app
