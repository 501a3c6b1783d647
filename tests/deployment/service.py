"""Countersign as its callers, its phones and its SMS providers meet it."""

import base64
import datetime
import itertools
import json
import secrets
import uuid

import standardwebhooks
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import http_api
import waiting

# Numbers set aside for fiction.
PHONE = "+12025550143"
OTHER_PHONE = "+12025550144"
SENDER = "+12025550199"


class Service:
    """One deployed service, called with one app's key."""

    def __init__(self, deployment, api_key):
        self._deployment = deployment
        self._messages = itertools.count(1)
        self.api_key = api_key

    def call(self, method, path, body=None, headers=None):
        """One request with the app's key."""
        sent = {"x-api-key": self.api_key, **(headers or {})}
        return http_api.call(self._deployment, method, path, body, sent)

    def acquire(self, callback, metadata=None):
        """Begins an acquisition."""
        body = {"callbackUrl": callback, "metadata": metadata or {}}
        return self._begun(self.call("POST", "/acquire-phone-number", body))

    def confirm(self, number, callback):
        """Begins a confirmation of a known number."""
        body = {"phoneNumber": number, "callbackUrl": callback}
        return self._begun(self.call("POST", "/make-confirmation", body))

    def _begun(self, answer):
        assert answer.status == 200, f"{answer.body}\n{self._deployment.log()[-3000:]}"
        return answer.json()

    def state(self, session):
        """A confirmation as `GET /confirmations/{id}` shows it."""
        answer = self.call("GET", f"/confirmations/{session['confirmationId']}")
        assert answer.status == 200, answer.body
        return answer.json()

    def text(self, session, sender=PHONE, message_id=None):
        """A text through AWS End User Messaging: what it publishes to the topic."""
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
        """A text through a provider of the generic kind, signed with its library."""
        text = {"from": sender, "to": session["sendTo"], "text": session["confirmationMessage"]}
        body = json.dumps(text | ({"carrier": carrier} if carrier else {}))
        message_id, now = f"msg_{uuid.uuid4().hex}", datetime.datetime.now(datetime.UTC)
        signer = standardwebhooks.Webhook(secret or self.inbound_secret())
        headers = {
            "Content-Type": "application/json",
            "webhook-id": message_id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": signer.sign(message_id, now, body),
        }
        return self.call("POST", "/inbound-sms/generic", body.encode(), headers)

    def inbound_secret(self):
        """The secret of generic providers, where the stack keeps it."""
        held = self._deployment.client("secretsmanager").get_secret_value(
            SecretId=self._deployment.outputs["InboundSecretArn"]
        )
        return json.loads(held["SecretString"])["generic"]

    def public_key(self):
        """The key that `GET /public-key` serves."""
        answer = self.call("GET", "/public-key")
        assert answer.status == 200, answer.body
        return serialization.load_pem_public_key(answer.body)

    def verify(self, webhook):
        """Checks a webhook's signature with the served key, and returns the body."""
        signature = base64.b64decode(webhook.headers["x-signature"], validate=True)
        self.public_key().verify(signature, webhook.body, ec.ECDSA(hashes.SHA256()))
        return json.loads(webhook.body)

    def until_verified(self, session):
        """Waits until a text was taken, and returns the confirmation."""
        return self._until(session, lambda state: state["status"] == "verified")

    def until_attempted(self, session, number):
        """Waits until so many attempts are on record, and returns the confirmation."""
        return self._until(
            session, lambda state: len(state.get("delivery", {}).get("attempts", [])) >= number
        )

    def until_delivered(self, session):
        """Waits until the webhook is settled, and returns the confirmation."""
        return self._until(
            session, lambda state: state.get("delivery", {}).get("status") == "delivered"
        )

    def _until(self, session, condition):
        def ask():
            state = self.state(session)
            return state if condition(state) else None

        return waiting.until(f"what was awaited of {session['confirmationId']}", ask)
