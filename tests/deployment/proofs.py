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

    # The algorithm and the type in the header of its proofs.
    ALGORITHM, TYPE = "ES256", "countersign-login+jwt"

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

    def confirmation(self, app, login, user, payload="yes", context=None):
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
        if context:
            digest = hashlib.sha256(b"countersign/ctx/1\0" + context.encode()).digest()
            claims["ctx"] = _base64url(digest)
        header = {"alg": self.ALGORITHM, "kid": self.id, "typ": self.TYPE}
        signed = f"{_base64url(_json(header))}.{_base64url(_json(claims))}"
        return {"payload": payload, "salt": _base64url(salt), "proof": f"{signed}.{self._signed(signed)}"}

    def _signed(self, text):
        """Returns what follows header and claims in a proof."""
        r, s = decode_dss_signature(self._sign(text.encode()))
        return _base64url(r.to_bytes(32) + s.to_bytes(32))

    def _sign(self, data):
        return self._private.sign(data, ec.ECDSA(hashes.SHA256()))


class Passkey(AssociationKey):
    """A passkey of the page on a link host, made in software. Its user is always verified."""

    ALGORITHM, TYPE = "WebAuthn-ES256", "countersign-login+webauthn"
    # A user is present and verified, and the passkey is synced.
    FLAGS = 0b00011101

    def __init__(self, host):
        super().__init__()
        self._host = host
        self.credential = _base64url(secrets.token_bytes(16))

    def assertion(self, *challenged):
        """Returns authenticator data, client data and signature over a challenge: the hash of these texts, with zero bytes in
        between."""
        challenge = hashlib.sha256(b"\0".join(part.encode() for part in challenged)).digest()
        client = _json({
            "type": "webauthn.get",
            "challenge": _base64url(challenge),
            "origin": f"https://{self._host}",
            "crossOrigin": False,
        })
        data = hashlib.sha256(self._host.encode()).digest() + bytes([self.FLAGS]) + bytes(4)
        signature = self._sign(data + hashlib.sha256(client).digest())
        return [_base64url(part) for part in (data, client, signature)]

    def _signed(self, text):
        return ".".join(self.assertion("countersign/webauthn/1", text))


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
