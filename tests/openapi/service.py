"""A running service as its callers use it: sessions in every state, for schemathesis to ask about."""

import base64
import hashlib
import hmac
import itertools
import json
import secrets
import threading
import time

import requests

# In local mode a webhook may go to loopback; nobody listens there, and no name is resolved.
NOWHERE = "http://127.0.0.1:9"
SENDER = "+12025550100"
# A point on P-256 that nobody has the secret of.
BROWSER_KEY = (
    "BAswVXqfxOkOM1h9osfsETZbgKXK7xQ5XoOozfIXPGGGq9D1Gj9kia7T-B1CZ4yx1vsgRWqPtNn-I0htkrfcASY"
)


class Service:
    """The demo app's servers, browsers, phones and SMS provider."""

    def __init__(self, facts):
        self.facts = facts
        self._lock = threading.Lock()
        self._turns = itertools.count()
        self._browsers, self._phones = {}, {}

    def every_second_time(self):
        """By turns true and false."""
        with self._lock:
            return next(self._turns) % 2 == 0

    def post(self, path, body, headers):
        """The answer to a request, which must be a success."""
        answer = requests.post(self.facts["url"] + path, json=body, headers=headers, timeout=20)
        answer.raise_for_status()
        return answer.json()

    # Phone numbers.

    def start(self):
        """A new confirmation."""
        key = {"x-api-key": self.facts["apiKey"]}
        return self.post("/acquire-phone-number", {"callbackUrl": NOWHERE}, key)

    def verify(self):
        """A new confirmation that a text has verified."""
        started = self.start()
        text = self.text(started["confirmationMessage"])
        body = json.dumps(text).encode()
        headers = self.signed("text", body) | {"content-type": "application/json"}
        url = f"{self.facts['url']}/inbound-sms/generic"
        requests.post(url, data=body, headers=headers, timeout=20).raise_for_status()
        return started

    def text(self, message):
        """What a provider hands in."""
        return {"from": SENDER, "to": self.facts["sendTo"], "text": message}

    def signed(self, message_id, body):
        """The headers that prove that a provider sends this body (Standard Webhooks)."""
        now = str(int(time.time()))
        secret = base64.b64decode(self.facts["inboundSecret"].removeprefix("whsec_"))
        digest = hmac.new(secret, f"{message_id}.{now}.".encode() + body, hashlib.sha256).digest()
        signature = f"v1,{base64.b64encode(digest).decode()}"
        return {
            "webhook-id": message_id,
            "webhook-timestamp": now,
            "webhook-signature": signature,
        }

    # Logins.

    def open(self):
        """The id of a new login."""
        headers = {"x-app-key": self.facts["appKey"], "origin": self.facts["url"]}
        opened = self.post("/qr-sessions", {"browserPublicKey": BROWSER_KEY}, headers)
        self.opened(opened)
        return opened["sessionId"]

    def scan(self):
        """The id of a new login that a phone has opened."""
        login = self.open()
        headers = {"x-app-key": self.facts["appKey"], **self.as_phone(login)}
        self.post(f"/qr-sessions/{login}/initiate", {}, headers)
        return login

    def confirm(self):
        """The id of a new login that its phone has confirmed."""
        login = self.scan()
        self.post(f"/qr-sessions/{login}/confirm", {"payload": "yes"}, self.as_phone(login))
        return login

    def opened(self, answer):
        """Remembers the browser's token of a login."""
        with self._lock:
            self._browsers[answer["sessionId"]] = answer["browserToken"]

    def as_browser(self, login):
        """The header by which the browser proves itself; nobody's where the login is unknown."""
        return bearer(self._browsers.get(login) or secrets.token_urlsafe(32))

    def as_phone(self, login):
        """The header by which the phone does: one token for each login."""
        with self._lock:
            return bearer(self._phones.setdefault(login, secrets.token_urlsafe(32)))


def bearer(token):
    """RFC 6750, section 2.1."""
    return {"Authorization": f"Bearer {token}"}
