"""Logins as browsers and phones meet them."""

import base64
import itertools
import secrets

import http_api
from watch import Watch

# A header that CloudFront proves itself with; `deployment.py` has the secret in it.
ORIGIN_SECRET = "x-countersign-origin-secret"
CHANGED = '{"changed":true}'
# One browser's denials make another's at the same address suspect, so each has an address.
_ADDRESSES = (f"203.0.113.{number}" for number in itertools.count(1))


def token():
    """What a phone proves itself with."""
    return base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")


def viewer(deployment, address=None, country=None, city=None):
    """What CloudFront adds to a request from somewhere."""
    said = {
        ORIGIN_SECRET: deployment.origin_secret,
        "CloudFront-Viewer-Address": f"{address or next(_ADDRESSES)}:4711",
        "CloudFront-Viewer-Country": country,
        "CloudFront-Viewer-City": city,
    }
    return {name: value for name, value in said.items() if value}


class Browser:
    """A page of an app in a browser somewhere."""

    def __init__(self, deployment, app, seen_as=None, origin=None):
        self._deployment = deployment
        self._headers = {
            "x-app-key": app.key,
            "Origin": origin or app.origin,
            "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            **(viewer(deployment) if seen_as is None else seen_as),
        }

    def ask(self):
        """Asks for a login; the answer, whatever it is."""
        return http_api.call(self._deployment, "POST", "/qr-sessions", {}, self._headers)

    def open(self):
        """A login that was opened."""
        answer = self.ask()
        assert answer.status == 200, f"{answer.body}\n{self._deployment.log()[-3000:]}"
        return Login(self._deployment, self._headers, answer.json())


class Login:
    """What a browser holds of a login."""

    def __init__(self, deployment, headers, opened):
        self._deployment = deployment
        self._headers = headers | {"Authorization": f"Bearer {opened['browserToken']}"}
        self.opened = opened
        self.id = opened["sessionId"]

    def call(self, method, action="", headers=None):
        """One request about it with the browser's token."""
        path = f"/qr-sessions/{self.id}{action}"
        return http_api.call(
            self._deployment, method, path, headers=self._headers | (headers or {})
        )

    def state(self):
        answer = self.call("GET")
        assert answer.status == 200, answer.body
        return answer.json()["state"]

    def redeem(self):
        return self.call("POST", "/redeem")

    def watch(self):
        """A connection that is told of changes, once it was told for the first time."""
        watch = Watch(self._deployment)
        watch.subscribe(self.id, self.opened["browserToken"])
        assert watch.next() == CHANGED
        return watch


class Phone:
    """Somebody's phone with the app on it."""

    def __init__(self, deployment, app, seen_as=None):
        self._deployment = deployment
        self.token = token()
        self._headers = {
            "x-app-key": app.key,
            "Authorization": f"Bearer {self.token}",
            "User-Agent": "Shop/7.1 (Android 16)",
            **(viewer(deployment) if seen_as is None else seen_as),
        }

    def call(self, login, action, body=None):
        """One request about a login with the phone's token."""
        path = f"/qr-sessions/{login.id}/{action}"
        return http_api.call(self._deployment, "POST", path, body or {}, self._headers)

    def initiate(self, login, **body):
        """Opens the code, and returns what the person is shown."""
        answer = self.call(login, "initiate", body)
        assert answer.status == 200, f"{answer.body}\n{self._deployment.log()[-3000:]}"
        return answer.json()

    def confirm(self, login, payload="yes"):
        self._decide(login, "confirm", payload)

    def deny(self, login):
        self._decide(login, "deny", "no")

    def _decide(self, login, decision, payload):
        answer = self.call(login, decision, {"payload": payload})
        assert (answer.status, answer.json()) == (200, True), answer.body
