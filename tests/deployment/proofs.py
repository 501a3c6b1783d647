"""Association keys of phones, the proofs that they sign, and their registration."""

import base64
import hashlib
import json
import secrets
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

import http_api


class AssociationKey:
    """A key that a phone keeps for one user."""

    def __init__(self):
        self._private = ec.generate_private_key(ec.SECP256R1())
        numbers = self._private.public_key().public_numbers()
        members = {
            "crv": "P-256",
            "kty": "EC",
            "x": _base64url(numbers.x.to_bytes(32)),
            "y": _base64url(numbers.y.to_bytes(32)),
        }
        # The thumbprint of RFC 7638.
        self.id = _base64url(hashlib.sha256(_json(members)).digest())

    def public(self):
        """Returns the public half, in the form that phones hand out."""
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        der = self._private.public_key().public_bytes(serialization.Encoding.DER, form)
        return base64.b64encode(der).decode()

    def possession(self, app, user):
        """Returns the signature that registers the key for this user of an app."""
        text = f"countersign-association-key/1\n{app.key}\n{user}"
        return base64.b64encode(self._sign(text.encode())).decode()

    def confirmation(self, app, login, user, payload="yes"):
        """Returns the body with which a phone confirms a login without encryption, with a proof."""
        salt, now = secrets.token_bytes(16), int(time.time())
        pay = hashlib.sha256(b"countersign/pay/1\0" + salt + payload.encode()).digest()
        claims = {
            "app": app.key,
            "aud": app.origin,
            "jti": login.id,
            "act": "confirm",
            "iat": now,
            "exp": now + 300,
            "pay": _base64url(pay),
            "sub": user,
        }
        header = {"alg": "ES256", "kid": self.id, "typ": "countersign-login+jwt"}
        signed = f"{_base64url(_json(header))}.{_base64url(_json(claims))}"
        r, s = decode_dss_signature(self._sign(signed.encode()))
        signature = _base64url(r.to_bytes(32) + s.to_bytes(32))
        return {"payload": payload, "salt": _base64url(salt), "proof": f"{signed}.{signature}"}

    def _sign(self, data):
        return self._private.sign(data, ec.ECDSA(hashes.SHA256()))


class Registry:
    """The association keys of an app, as the app's server administers them."""

    def __init__(self, deployment, app):
        self._deployment = deployment
        self._app = app

    def register(self, key, user, **more):
        """Registers a key with the phone's signature, unless `more` has another or `None`."""
        body = {
            "publicUserId": user,
            "publicKey": key.public(),
            "signature": key.possession(self._app, user),
            **more,
        }
        sent = {name: value for name, value in body.items() if value is not None}
        return self._call("POST", "", sent)

    def list(self, user):
        return self._call("GET", f"?publicUserId={user}")

    def ids(self, user):
        """Returns the ids of a user's active keys."""
        answer = self.list(user)
        assert answer.status == 200, answer.body
        return [key["keyId"] for key in answer.json()["keys"]]

    def revoke(self, key):
        return self._call("DELETE", f"/{key.id}")

    def new_key(self, user):
        """Returns a new key that is registered for this user."""
        key = AssociationKey()
        answer = self.register(key, user)
        assert (answer.status, answer.json()) == (200, {"keyId": key.id}), answer.body
        return key

    def _call(self, method, rest, body=None):
        headers = {"x-api-key": self._app.api_key}
        path = f"/association-keys{rest}"
        return http_api.call(self._deployment, method, path, body, headers)


def _json(value):
    return json.dumps(value, separators=(",", ":")).encode()


def _base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
