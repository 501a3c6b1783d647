"""Phones without an app that are set up: the app's server, its page, and the page on the phone."""

import time
from types import SimpleNamespace
from urllib.parse import urlsplit

import http_api
from deployment import registration_key
from logins import token, viewer
from proofs import Passkey
from service import Service

PATH = "/phone-registrations"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Mobile/15E148 Safari/604.1"


class Registration:
    """A registration, as the app's server and the page of a user who is logged in see it."""

    def __init__(self, deployment, app, user, api_key=None):
        self._deployment = deployment
        self._server = Service(deployment, api_key or app.api_key)
        self.app, self.user = app, user
        answer = self._server.call("POST", PATH, {"publicUserId": user, "label": "Zoë Example"})
        assert answer.status == 200, f"{answer.body}\n{deployment.log()[-3000:]}"
        self.created = answer.json()
        self.id, self.url = self.created["registrationId"], self.created["url"]

    def as_server(self, method="GET"):
        """Returns the answer to the app's server."""
        return self._server.call(method, f"{PATH}/{self.id}")

    def as_page(self, method, action="", body=None):
        """Returns the answer to the page."""
        headers = {"Authorization": f"Bearer {self.created['pageToken']}", "Origin": self.app.origin}
        return http_api.call(self._deployment, method, f"{PATH}/{self.id}{action}", body, headers)

    def state(self):
        """Returns the state that the page shows."""
        answer = self.as_page("GET")
        assert answer.status == 200, answer.body
        return answer.json()["state"]

    def type(self, digits):
        """Returns the answer to the page that sends these digits."""
        return self.as_page("POST", "/digits", {"digits": digits})

    def item(self):
        """Returns the item in the table."""
        return self._deployment.lookup(self._deployment.table, registration_key(self.id))


class WebPhone:
    """A phone's browser that opened a registration's link."""

    def __init__(self, deployment, registration, seen_as=None):
        self._deployment = deployment
        self._id, self._secret = urlsplit(registration.url).fragment.split(".")
        self._headers = {
            "Authorization": f"Bearer {token()}",
            "User-Agent": SAFARI,
            **(viewer(deployment) if seen_as is None else seen_as),
        }

    def call(self, method, action="", body=None):
        """Sends a request with the phone's token."""
        return http_api.call(self._deployment, method, f"{PATH}/{self._id}{action}", body, self._headers)

    def open(self):
        """Returns the answer to a phone that opens the link."""
        return self.call("POST", "/open", {"secret": self._secret})

    def sign(self, key, app, user):
        """Returns the answer to a phone that proves its key."""
        return self.call("POST", "/sign", {"publicKey": key.public(), **self.proof(key, app, user)})

    def proof(self, key, app, user):
        """Returns what the phone sends with the public half of its key."""
        if not isinstance(key, Passkey):
            return {"signature": key.possession(app, user)}
        parts = key.assertion("countersign/webauthn-registration/1", self._id, app.key, user)
        return {"credentialId": key.credential, **assertion(parts)}


def assertion(parts):
    """Returns the members of a request that contain a passkey's assertion."""
    return dict(zip(("authenticatorData", "clientDataJSON", "signature"), parts, strict=True))


def identify(deployment, app, key):
    """Returns the answer to a phone that has nothing but a passkey."""
    at = int(time.time() * 1000)
    parts = key.assertion("countersign/webauthn-identify/1", app.key, str(at))
    headers = {"x-app-key": app.key, "Origin": f"https://{app.host}", **viewer(deployment)}
    return http_api.call(deployment, "POST", "/passkeys/identify", {**assertion(parts), "at": at}, headers)


def set_up(deployment, app, user, key, api_key=None):
    """Sets a phone up with this key. Returns the registration, and the page on the phone."""
    registration = Registration(deployment, app, user, api_key)
    phone = WebPhone(deployment, registration)
    opened = phone.open()
    assert opened.status == 200, opened.body
    signed = phone.sign(key, app, user)
    assert signed.status == 200, signed.body
    typed = registration.type(signed.json()["digits"])
    assert typed.status == 204, f"{typed.body}\n{deployment.log()[-3000:]}"
    return SimpleNamespace(registration=registration, phone=phone, opened=opened.json())
