"""A program that installs the package. The tests check its types, and run it."""

import json
import sys
from typing import Any

from countersign import Countersign, ProblemError, __version__
from countersign.handlers import WebhookHandler
from countersign.types import ConfirmationSession, WebhookBody


def use(url: str, secret: str, delivery: dict[str, Any]) -> dict[str, Any]:
    client = Countersign(url=url, api_key="cs_live_secret", webhook_secret=secret)
    started: ConfirmationSession = client.confirmations.acquire(callback_url="https://shop.example/webhook")
    numbers: list[str] = []

    def on_verified(event: WebhookBody) -> None:
        numbers.append(event.phone_number)

    handle = WebhookHandler(client, on_verified=on_verified)
    body: str = delivery["body"]
    bodies = [body, body, body.replace("0100", "0199")]
    statuses = [handle(delivery["method"], delivery["headers"], one.encode()).status for one in bodies]
    problem = "none"
    try:
        client.confirmations.get(started.confirmation_id)
    except ProblemError as error:
        problem = error.code
    return {
        "confirmationId": started.confirmation_id,
        "numbers": numbers,
        "statuses": statuses,
        "problem": problem,
    }


if __name__ == "__main__":
    print(__version__)
    print(json.dumps(use(**json.loads(sys.argv[1]))))
