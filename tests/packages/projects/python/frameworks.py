"""Mounts the handlers of each framework, with the types that mypy and pyright accept."""

import fastapi
import flask
from django.urls import path

import countersign.django
import countersign.fastapi
import countersign.flask
from countersign import AsyncCountersign, Countersign
from countersign.types import WebhookBody


def on_verified(event: WebhookBody) -> None:
    print(len(event.phone_number))


client = Countersign(url="https://countersign.example", api_key="cs_live_secret", webhook_secret="whsec_" + 32 * "A")

flask_app = flask.Flask(__name__)
flask_app.post("/webhook")(countersign.flask.webhook(client, on_verified=on_verified))

urlpatterns = [path("webhook", countersign.django.webhook(client, on_verified=on_verified))]


def fastapi_app(asynchronous: AsyncCountersign) -> fastapi.FastAPI:
    app = fastapi.FastAPI()
    app.post("/webhook")(countersign.fastapi.webhook(asynchronous, on_verified=on_verified))
    return app
