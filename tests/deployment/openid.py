"""A browser and a client of the OpenID provider: the authorization code flow with PKCE."""

import base64
import hashlib
import html
import json
import re
import secrets
from types import SimpleNamespace
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

import http_api
import waiting
from deployment import confirmation_key
from logins import Browser, Login, token
from service import PHONE

REQUEST = re.compile(r'data-request="([^"]*)"')
FORM = "application/x-www-form-urlencoded"


def unpadded(text):
    """Decodes base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def parameters(location):
    """Returns the parameters of the query of an address."""
    return {name: value for name, (value,) in parse_qs(urlsplit(location).query).items()}


class Client:
    """A client with its redirect URI, and the browser of one of its users. Without a secret it is a public client."""

    def __init__(self, deployment, app_key, redirect_uri, secret=None):
        self._deployment = deployment
        self.id, self.redirect_uri, self.secret = app_key, redirect_uri, secret

    def call(self, method, path, body=None, **headers):
        """Sends a request."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return http_api.call(self._deployment, method, path, body, sent)

    def discovered(self):
        """Returns the provider's configuration."""
        answer = self.call("GET", "/.well-known/openid-configuration")
        assert answer.status == 200, answer.body
        return answer.json()

    def keys(self):
        """Returns the published keys, the one that signs first."""
        answer = self.call("GET", "/openid/jwks.json")
        assert answer.status == 200, answer.body
        return answer.json()["keys"]

    def authorize(self, **asked):
        """Returns the answer to an authorization request."""
        return self.call("GET", f"/authorize?{urlencode(asked)}")

    def open(self, **more):
        """Opens the page, and returns what the browser and the client keep."""
        verifier = secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "client_id": self.id,
            "redirect_uri": self.redirect_uri,
            "response_type": "code",
            "scope": "openid phone",
            "state": secrets.token_urlsafe(8),
            "nonce": secrets.token_urlsafe(8),
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            **more,
        }
        page = self.authorize(**asked)
        assert page.status == 200, page.body
        found = REQUEST.search(page.body.decode())
        assert found, page.body
        cookie = page.headers["set-cookie"].partition(";")[0]
        return SimpleNamespace(asked=asked, verifier=verifier, cookie=cookie, request=html.unescape(found[1]))

    def on_page(self, page, call, **more):
        """Makes one of the page's own calls, and returns the answer."""
        return self.call(
            "POST",
            f"/authorize/{call}",
            {"request": page.request, **more},
            Cookie=page.cookie,
            Sec_Fetch_Site="same-origin",
        )

    def text(self, page):
        """Starts the text of a page, and returns the confirmation."""
        answer = self.on_page(page, "text")
        assert answer.status == 200, answer.body
        return answer.json()

    def verified(self, service, number=PHONE, **more):
        """Opens a page, and sends its text from a number. Returns the page and the id of the confirmation."""
        page = self.open(**more)
        session = self.text(page)
        service.text(session, number)
        self.until_verified(session)
        return page, session["confirmationId"]

    def until_verified(self, session):
        """Waits until the text of a page has arrived."""
        key = confirmation_key(session["confirmationId"])

        def is_verified():
            return "verified" in self._deployment.lookup(self._deployment.table, key)["state"]["M"]

        waiting.until("the verification", is_verified)

    def opened(self, page):
        """Opens the login of a page, which the page's element joins, and returns it as the browser sees it."""
        browser_token, issuer = token(), self.discovered()["issuer"]
        made = self.on_page(page, "code", browserToken=browser_token)
        assert made.status == 200, made.body
        browser = Browser(self._deployment, SimpleNamespace(key=self.id, origin=issuer), seen_as={})
        joined = browser.ask(browser_token)
        assert (joined.status, joined.json()["sessionId"]) == (200, made.json()["sessionId"]), joined.body
        return Login(self._deployment, browser.headers, browser_token, joined.json())

    def finish(self, page, **more):
        """Returns to the client, and returns the parameters that it gets."""
        answer = self.on_page(page, "finish", **more)
        assert answer.status == 200, answer.body
        location = answer.json()["location"]
        assert location.startswith(f"{self.redirect_uri}?"), location
        return parameters(location)

    def exchange(self, page, code, **more):
        """Exchanges a code, and returns the answer."""
        form = {
            "grant_type": "authorization_code",
            "client_id": self.id,
            "redirect_uri": self.redirect_uri,
            "code": code,
            "code_verifier": page.verifier,
        }
        if self.secret:
            form["client_secret"] = self.secret
        return self.call("POST", "/token", urlencode(form | more).encode(), Content_Type=FORM)

    def logged_in(self, service, number=PHONE):
        """Logs a person in by a text, and returns the page, the client's answer and the id of the confirmation."""
        page, confirmation = self.verified(service, number)
        answer = self.exchange(page, self.finish(page)["code"])
        assert answer.status == 200, answer.body
        return SimpleNamespace(page=page, tokens=answer.json(), confirmation=confirmation)

    def claims(self, token):
        """Verifies an ID token with the published keys, and returns its claims."""
        header, payload, signature = token.split(".")
        head, raw = json.loads(unpadded(header)), unpadded(signature)
        assert (head["alg"], head.get("typ", "JWT"), len(raw)) == ("ES256", "JWT", 64)
        key, = (key for key in self.keys() if key["kid"] == head["kid"])
        numbers = (int.from_bytes(unpadded(key[part])) for part in ("x", "y"))
        public = ec.EllipticCurvePublicNumbers(*numbers, ec.SECP256R1()).public_key()
        der = encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
        public.verify(der, f"{header}.{payload}".encode(), ec.ECDSA(hashes.SHA256()))
        return json.loads(unpadded(payload))

    def user_info(self, access_token):
        """Returns the answer about a user."""
        return self.call("GET", "/userinfo", Authorization=f"Bearer {access_token}")


def signed_by(token):
    """Returns the id of the key that signed an ID token."""
    return json.loads(unpadded(token.split(".")[0]))["kid"]
