"""Browsers and phones that use logins."""

import base64
import ipaddress
import secrets

import http_api
from watch import Watch

# The header that proves that a request comes from CloudFront. `Deployment.origin_secret` is its value.
ORIGIN_SECRET = "x-countersign-origin-secret"
# The header in which CloudFront passes on the link host that the viewer requested.
VIEWER_HOST = "x-countersign-viewer-host"
CHANGED = '{"changed":true}'
# Denials raise the risk of further logins from the same address, so each browser has its own. Tests that set
# addresses use different ones.
_ADDRESSES = (
    str(address)
    for network in ("192.0.2.0/24", "203.0.113.0/25", "198.51.100.128/25")
    for address in ipaddress.ip_network(network).hosts()
)


def token():
    """Returns a new random token, as browsers and phones generate them."""
    return _base64url(secrets.token_bytes(32))


def browser_key():
    """Returns a new key in the form that browsers send. No private key belongs to it."""
    return _base64url(b"\x04" + secrets.token_bytes(64))


def sealed(length=88):
    """Returns a text in the form of an encrypted payload of `length` characters, which cannot be
    decrypted: an encapsulated key, then the ciphertext of payload and salt."""
    envelope = len('{"payload":"","salt":""}') + length + 22
    return _base64url(b"\x04" + secrets.token_bytes(64 + envelope + 16))


def _base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def viewer(deployment, address=None, country=None, city=None, network=None):
    """Returns the headers that CloudFront and AWS WAF add to a request from this place."""
    said = {
        ORIGIN_SECRET: deployment.origin_secret,
        "CloudFront-Viewer-Address": f"{address or next(_ADDRESSES)}:4711",
        "CloudFront-Viewer-Country": country,
        "CloudFront-Viewer-City": city,
        "x-amzn-waf-countersign-network": network,
    }
    return {name: value for name, value in said.items() if value}


class Browser:
    """A browser that shows a page of an app."""

    def __init__(self, deployment, app, seen_as=None, origin=None):
        self._deployment = deployment
        self.headers = {
            "x-app-key": app.key,
            "Origin": origin or app.origin,
            "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            **(viewer(deployment) if seen_as is None else seen_as),
        }

    def ask(self, browser_token=None, key=None):
        """Requests a login, and returns the response."""
        headers = self.headers | {"Authorization": f"Bearer {browser_token or token()}"}
        body = {"browserPublicKey": key}
        return http_api.call(self._deployment, "POST", "/qr-sessions", body, headers)

    def open(self, key=None):
        """Creates a login, with this browser key if given. Fails unless the response is 200."""
        browser_token = token()
        answer = self.ask(browser_token, key)
        assert answer.status == 200, f"{answer.body}\n{self._deployment.log()[-3000:]}"
        return Login(self._deployment, self.headers, browser_token, answer.json())


class Login:
    """A login, as the browser that created it sees it."""

    def __init__(self, deployment, headers, browser_token, opened):
        self._deployment = deployment
        self._headers = headers | {"Authorization": f"Bearer {browser_token}"}
        self.token = browser_token
        self.receipt = token()
        self.opened = opened
        self.id = opened["sessionId"]

    def call(self, method, action="", headers=None, body=None):
        """Sends a request about the login with the browser's token."""
        path = f"/qr-sessions/{self.id}{action}"
        headers = self._headers | (headers or {})
        return http_api.call(self._deployment, method, path, body, headers=headers)

    def state(self):
        answer = self.call("GET")
        assert answer.status == 200, answer.body
        return answer.json()["state"]

    def redeem(self, receipt=None):
        """Redeems the payload, with the login's own receipt unless another is given."""
        return self.call("POST", "/redeem", body={"receipt": receipt or self.receipt})

    def watch(self):
        """Opens a connection that watches the login, and waits for its first message."""
        watch = Watch(self._deployment)
        watch.subscribe(self.id, self.token)
        assert watch.next() == CHANGED
        return watch


class Phone:
    """A phone with the app on it."""

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
        """Sends a request about a login with the phone's token."""
        path = f"/qr-sessions/{login.id}/{action}"
        return http_api.call(self._deployment, "POST", path, body or {}, self._headers)

    def state(self, login):
        """Returns the state of a login that the phone opened."""
        path = f"/qr-sessions/{login.id}"
        answer = http_api.call(self._deployment, "GET", path, headers=self._headers)
        assert answer.status == 200, answer.body
        return answer.json()["state"]

    def initiate(self, login, **body):
        """Opens the login, and returns what the app shows to the user."""
        answer = self.call(login, "initiate", body)
        assert answer.status == 200, f"{answer.body}\n{self._deployment.log()[-3000:]}"
        return answer.json()

    def confirm(self, login, payload="yes", **more):
        self._decide(login, "confirm", {"payload": payload, **more})

    def deny(self, login, payload="no", **more):
        self._decide(login, "deny", {"payload": payload, **more})

    def _decide(self, login, decision, body):
        answer = self.call(login, decision, body)
        assert (answer.status, answer.json()) == (200, True), answer.body
