"""Checks the vectors of ids, proofs and registrations with PyJWT and cryptography, and makes proofs of the
same facts with its own keys.

    python check.py VECTORS      (the folder of the vectors)
"""

import base64
import hashlib
import json
import pathlib
import sys

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_der_public_key,
)

folder = pathlib.Path(sys.argv[1])
wrong = []


def read(name):
    return json.loads((folder / name).read_text(encoding="utf-8"))


def same(what, left, right):
    if left != right:
        wrong.append(f"{what}: {left!r} is not {right!r}")


def base64url(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def digest(label, *parts):
    return base64url(hashlib.sha256(label + b"\0" + b"".join(parts)).digest())


def spki(text):
    return load_der_public_key(base64.b64decode(text, validate=True))


def text_of(key):
    return base64.b64encode(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).decode()


def key_id(key):
    jwk = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(key))
    required = {name: jwk[name] for name in ("crv", "kty", "x", "y")}
    compact = json.dumps(required, separators=(",", ":"), sort_keys=True)
    return base64url(hashlib.sha256(compact.encode()).digest())


def claims_of(it):
    iat = it["at"] // 1000
    salt = base64.urlsafe_b64decode(it["salt"] + "==")
    claims = {
        "app": it["appKey"],
        "aud": it["origin"],
        "jti": it["sessionId"],
        "act": "confirm",
        "iat": iat,
        "exp": iat + 300,
        "pay": digest(b"countersign/pay/1", salt, it["payload"].encode()),
    }
    if it["publicUserId"] is not None:
        claims["sub"] = it["publicUserId"]
    if it["context"] is not None:
        claims["ctx"] = digest(b"countersign/ctx/1", it["context"].encode())
    return claims


def id_of(it):
    if "browserToken" in it:
        token = base64.urlsafe_b64decode(it["browserToken"] + "=")
        return "qrp_" + hashlib.sha256(b"countersign/login-id/plain/1" + token).hexdigest()[:32]
    parts = ["countersign/login-id/1", it["appKey"], it["origin"], it["context"]]
    point = base64.urlsafe_b64decode(it["browserPublicKey"] + "=")
    framed = b"".join(
        len(part).to_bytes(2, "big") + part for part in [*(p.encode() for p in parts), point]
    )
    return "qrs_" + hashlib.sha256(framed).hexdigest()[:32]


for it in read("ids.json"):
    same("id", id_of(it), it["sessionId"])

# The vectors' times are fixed, and PyJWT only supports the current time.
TIMELESS = {"verify_exp": False, "verify_iat": False}

proofs = []
for it in read("proofs.json"):
    key = spki(it["publicKey"])
    same("thumbprint", key_id(key), it["keyId"])
    header = jwt.get_unverified_header(it["proof"])
    same("header", header, {"alg": "ES256", "kid": it["keyId"], "typ": "countersign-login+jwt"})
    claims = jwt.decode(
        it["proof"], key, algorithms=["ES256"], audience=it["origin"], options=TIMELESS
    )
    same("claims", claims, claims_of(it))
    own = ec.generate_private_key(ec.SECP256R1())
    headers = {"typ": "countersign-login+jwt", "kid": key_id(own.public_key())}
    proof = jwt.encode(claims_of(it), own, algorithm="ES256", headers=headers)
    proofs.append({"publicKey": text_of(own.public_key()), "proof": proof})

registrations = []
for it in read("registrations.json"):
    text = f"countersign-association-key/1\n{it['appKey']}\n{it['publicUserId']}"
    same("text", text, it["text"])
    # Raises if the signature is false.
    spki(it["publicKey"]).verify(
        base64.b64decode(it["signature"], validate=True), text.encode(), ec.ECDSA(SHA256())
    )
    own = ec.generate_private_key(ec.SECP256R1())
    signature = base64.b64encode(own.sign(text.encode(), ec.ECDSA(SHA256()))).decode()
    registrations.append({"publicKey": text_of(own.public_key()), "signature": signature})

print(json.dumps({"proofs": proofs, "registrations": registrations, "wrong": wrong}))
