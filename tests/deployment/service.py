"""A client of Countersign for what callers, phones and SMS providers do."""

import base64
import itertools
import json
import secrets
import uuid
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import http_api
import waiting

# Numbers reserved for fictional use.
PHONE = "+12025550143"
OTHER_PHONE = "+12025550144"
SENDER = "+12025550199"
# If a test key starts the confirmation, a text from this number arrives by itself.
VERIFIED_AT_ONCE = "+15005550001"


class Service:
    """A deployed service, called with the API key of one app."""

    def __init__(self, deployment, api_key, providers=None):
        self._deployment = deployment
        self._providers = providers
        self._messages = itertools.count(1)
        self.api_key = api_key

    def call(self, method, path, body=None, headers=None):
        """Sends a request with the app's key."""
        sent = {"x-api-key": self.api_key, **(headers or {})}
        return http_api.call(self._deployment, method, path, body, sent)

    def acquire(self, callback, metadata=None, **more):
        """Starts an acquisition."""
        body = {"callbackUrl": callback, "metadata": metadata or {}, **more}
        return self._begun(self.call("POST", "/acquire-phone-number", body))

    def confirm(self, number, callback):
        """Starts a confirmation of a known number."""
        body = {"phoneNumber": number, "callbackUrl": callback}
        return self._begun(self.call("POST", "/make-confirmation", body))

    def _begun(self, answer):
        assert answer.status == 200, f"{answer.body}\n{self._deployment.log()[-3000:]}"
        return answer.json()

    def state(self, session):
        """Returns a confirmation as `GET /confirmations/{id}` shows it."""
        answer = self.call("GET", f"/confirmations/{session['confirmationId']}")
        assert answer.status == 200, answer.body
        return answer.json()

    def as_page(self, session):
        """Returns the answer to the page that shows a confirmation."""
        client = session["client"]
        path = urlsplit(client["statusUrl"]).path
        headers = {"Authorization": f"Bearer {client['token']}", "Origin": "https://shop.example"}
        return http_api.call(self._deployment, "GET", path, headers=headers)

    def text(self, session, sender=PHONE, message_id=None):
        """Publishes a text to the topic, as AWS End User Messaging does."""
        message = {
            "originationNumber": sender,
            "destinationNumber": session["sendTo"],
            "messageKeyword": "KEYWORD_" + secrets.token_hex(4),
            "messageBody": session["confirmationMessage"],
            "inboundMessageId": message_id or str(uuid.uuid4()),
            "previousPublishedMessageId": str(uuid.uuid4()),
        }
        self.publish(json.dumps(message))

    def publish(self, message):
        """Publishes to the topic of inbound texts."""
        topic = self._deployment.outputs["InboundTopicArn"]
        self._deployment.client("sns").publish(TopicArn=topic, Message=message)

    def text_over_http(self, session, sender=PHONE, carrier=None, secret=None):
        """Sends a text as a generic provider does."""
        return self._providers.generic(sent(session, sender), carrier, secret)

    def public_key(self):
        """Returns the key that `GET /public-key` serves."""
        answer = self.call("GET", "/public-key")
        assert answer.status == 200, answer.body
        return serialization.load_pem_public_key(answer.body)

    def verify(self, webhook):
        """Verifies a webhook's signature with the served key, and returns the body."""
        signature = base64.b64decode(webhook.headers["x-signature"], validate=True)
        self.public_key().verify(signature, webhook.body, ec.ECDSA(hashes.SHA256()))
        return json.loads(webhook.body)

    def until_verified(self, session):
        """Waits until the confirmation is verified, and returns it."""
        return self._until(session, lambda state: state["status"] == "verified")

    def until_attempted(self, session, number):
        """Waits until `number` attempts are recorded, and returns the confirmation."""
        return self._until(
            session, lambda state: len(state.get("delivery", {}).get("attempts", [])) >= number
        )

    def until_delivered(self, session):
        """Waits until the webhook is delivered, and returns the confirmation."""
        return self._until(
            session, lambda state: state.get("delivery", {}).get("status") == "delivered"
        )

    def _until(self, session, condition):
        def ask():
            state = self.state(session)
            return state if condition(state) else None

        return waiting.until(f"the expected state of {session['confirmationId']}", ask)


def sent(session, sender=PHONE):
    """Returns the text that a person sends for a confirmation."""
    return {"from": sender, "to": session["sendTo"], "text": session["confirmationMessage"]}
