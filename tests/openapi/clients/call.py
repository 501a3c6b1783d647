"""Calls the server with the generated client, and prints parts of the responses."""

import json
import os
import secrets

from countersign_client import AuthenticatedClient
from countersign_client.api.confirmations import (
    acquire_phone_number,
    cancel_confirmation,
    get_confirmation,
    make_confirmation,
)
from countersign_client.api.logins import create_session, get_session
from countersign_client.models import (
    AcquireRequest,
    ConfirmRequest,
    Confirmation,
    ConfirmationSession,
    Metadata,
    NewSession,
    Problem,
    SessionStatus,
)
from countersign_client.types import Unset

FACTS: dict[str, str] = json.loads(os.environ["COUNTERSIGN_FACTS"])


def client(header: str, token: str, prefix: str = "") -> AuthenticatedClient:
    """Returns a client that sends a token in a header."""
    return AuthenticatedClient(
        base_url=FACTS["url"], token=token, prefix=prefix, auth_header_name=header
    )


server = client("x-api-key", FACTS["apiKey"])

metadata = Metadata.from_dict({"orderId": "17"})
started = acquire_phone_number.sync(client=server, body=AcquireRequest(metadata=metadata))
assert isinstance(started, ConfirmationSession), started
shown = get_confirmation.sync(started.confirmation_id, client=server)
assert isinstance(shown, Confirmation), shown
assert not isinstance(shown.metadata, Unset)

refused = make_confirmation.sync(client=server, body=ConfirmRequest(phone_number="2025550100"))
assert isinstance(refused, Problem), refused

cancelled = cancel_confirmation.sync(started.confirmation_id, client=server)
assert isinstance(cancelled, Confirmation), cancelled

browser = client("Authorization", secrets.token_urlsafe(32), "Bearer")
page = browser.with_headers({"x-app-key": FACTS["appKey"]})
opened = create_session.sync(client=page, origin=FACTS["url"])
assert isinstance(opened, NewSession), opened
login = get_session.sync(opened.session_id, client=browser)
assert isinstance(login, SessionStatus), login

print(
    json.dumps(
        {
            "acquired": {
                "status": shown.status.value,
                "flow": shown.flow.value,
                "metadata": shown.metadata.to_dict(),
            },
            "refused": {
                "status": refused.status,
                "code": refused.code,
                "field": refused.field,
            },
            "cancelled": cancelled.status.value,
            "login": login.state.value,
        }
    )
)
