"""A client of a running service, which creates confirmations and logins in every state for schemathesis."""

import base64
import hashlib
import hmac
import itertools
import json
import secrets
import threading
import time

import requests

# A callback URL that is allowed in local mode. Nothing listens there, and no name has to be resolved.
NOWHERE = "http://127.0.0.1:9"
SENDER = "+12025550100"


class Service:
    """Acts as the demo app's server, browsers, phones and SMS provider."""

    def __init__(self, facts):
        self.facts = facts
        self._lock = threading.Lock()
        self._turns = itertools.count()
        self._browsers, self._phones, self._pages = {}, {}, {}
        self._setup_pages, self._setup_secrets = {}, {}

    def every_second_time(self):
        """Returns true and false in turn."""
        with self._lock:
            return next(self._turns) % 2 == 0

    def post(self, path, body, headers):
        """Sends a request, and returns its parsed response. Fails unless the request succeeds."""
        answer = requests.post(self.facts["url"] + path, json=body, headers=headers, timeout=60)
        answer.raise_for_status()
        return answer.json()

    # --- confirmations ---

    def start(self, key="apiKey"):
        """Starts an acquisition with the key of this name."""
        key = {"x-api-key": self.facts[key]}
        return self.post("/acquire-phone-number", {"callbackUrl": NOWHERE}, key)

    def show(self):
        """Starts an acquisition whose page may watch it."""
        body = {"callbackUrl": NOWHERE, "clientChannel": True}
        started = self.post("/acquire-phone-number", body, {"x-api-key": self.facts["apiKey"]})
        with self._lock:
            self._pages[started["confirmationId"]] = bearer(started["client"]["token"])
        return started

    def as_page(self, confirmation):
        """Returns the page's header for a confirmation. For an unknown one the token is random."""
        return self._pages.get(confirmation) or bearer(secrets.token_urlsafe(32))

    def verify(self):
        """Starts an acquisition and verifies it with a text."""
        started = self.start()
        text = self.text(started["confirmationMessage"])
        body = json.dumps(text).encode()
        headers = self.signed("text", body) | {"content-type": "application/json"}
        url = f"{self.facts['url']}/inbound-sms/generic"
        requests.post(url, data=body, headers=headers, timeout=60).raise_for_status()
        return started

    def text(self, message):
        """Returns a text in the form that a provider sends."""
        return {"from": SENDER, "to": self.facts["sendTo"], "text": message}

    def signed(self, message_id, body):
        """Returns the headers with which a provider signs a body (Standard Webhooks)."""
        now = str(int(time.time()))
        secret = base64.b64decode(self.facts["inboundSecret"].removeprefix("whsec_"))
        digest = hmac.new(secret, f"{message_id}.{now}.".encode() + body, hashlib.sha256).digest()
        signature = f"v1,{base64.b64encode(digest).decode()}"
        return {
            "webhook-id": message_id,
            "webhook-timestamp": now,
            "webhook-signature": signature,
        }

    # --- logins ---

    def open(self):
        """Creates a login without a key, and returns its id."""
        token = bearer(secrets.token_urlsafe(32))
        headers = {"x-app-key": self.facts["appKey"], "origin": self.facts["url"], **token}
        opened = self.post("/qr-sessions", {}, headers)
        self.opened(opened, token)
        return opened["sessionId"]

    def open_by_server(self, key="apiKey"):
        """Creates a login as the app's server with the key of this name, and returns its id."""
        token = bearer(secrets.token_urlsafe(32))
        body = {"origin": self.facts["url"]}
        opened = self.post("/qr-sessions", body, {"x-api-key": self.facts[key], **token})
        self.opened(opened, token)
        return opened["sessionId"]

    def scan(self):
        """Creates a login, opens it on a phone, and returns its id."""
        login = self.open()
        headers = {"x-app-key": self.facts["appKey"], **self.as_phone(login)}
        self.post(f"/qr-sessions/{login}/initiate", {}, headers)
        return login

    def confirm(self):
        """Creates a login, confirms it on a phone, and returns its id."""
        login = self.scan()
        self.post(f"/qr-sessions/{login}/confirm", {"payload": "yes"}, self.as_phone(login))
        return login

    def opened(self, answer, token):
        """Stores the header with the browser's token of a login."""
        with self._lock:
            self._browsers[answer["sessionId"]] = token

    def as_browser(self, login):
        """Returns the browser's header for a login. For an unknown login the token is random."""
        return self._browsers.get(login) or bearer(secrets.token_urlsafe(32))

    def as_watcher(self, login):
        """Returns the header of a page that only watches a login of the app's server."""
        token = self.as_browser(login)["Authorization"].removeprefix("Bearer ")
        token = base64.urlsafe_b64decode(token + "=")
        digest = hashlib.sha256(b"countersign/login-page-token/1\0" + token).digest()
        return bearer(base64.urlsafe_b64encode(digest).decode().rstrip("="))

    def as_phone(self, login):
        """Returns the phone's header for a login. Each login has its own token."""
        with self._lock:
            return bearer(self._phones.setdefault(login, secrets.token_urlsafe(32)))

    # --- phone registrations ---

    def register_phone(self):
        """Starts the registration of a new user's phone, and returns its id."""
        body = {"publicUserId": secrets.token_hex(8)}
        started = self.post("/phone-registrations", body, {"x-api-key": self.facts["apiKey"]})
        registration = started["registrationId"]
        with self._lock:
            self._setup_pages[registration] = bearer(started["pageToken"])
            self._setup_secrets[registration] = started["url"].rpartition(".")[2]
        return registration

    def open_registration(self):
        """Starts the registration of a phone, opens its link there, and returns its id."""
        registration = self.register_phone()
        body = {"secret": self._setup_secrets[registration]}
        path = f"/phone-registrations/{registration}/open"
        self.post(path, body, self.as_phone(registration))
        return registration

    def as_setup_page(self, registration):
        """Returns the page's header for a registration. For an unknown one the token is random."""
        return self._setup_pages.get(registration) or bearer(secrets.token_urlsafe(32))


def bearer(token):
    """Returns the header for a bearer token (RFC 6750, section 2.1)."""
    return {"Authorization": f"Bearer {token}"}
