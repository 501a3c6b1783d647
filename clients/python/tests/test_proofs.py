"""Proofs of logins: the valid ones, and every way to forge one."""

import base64
import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key

from countersign import CountersignError, KnownKey, LoginVerificationError, key_id
from support.harness import Harness
from support.phone import ORIGIN, SALT, Phone, digest, dumps
from support.signing import SESSION_ID, base64url
from support.stub import Stub

NOW = 1_800_000_000
VECTORS = Path(__file__).resolve().parents[3] / "shared/proof/vectors/proofs.json"
ZOE, MALLORY = Phone(7, now=NOW), Phone(8, user="mallory", now=NOW)
KEYS = {phone.key_id: phone.known for phone in (ZOE, MALLORY)}


def verify(client: Any, detail: dict[str, str], **expected: Any) -> Any:
    return client.logins.verify(**{**detail, "origin": ORIGIN, "find_key": KEYS.get, **expected})


def swapped() -> list[tuple[str, dict[str, Any]]]:
    """The right proof with other things beside it, and proofs of other facts."""
    changes: list[tuple[str, Any]] = [
        ("payload", "another token"),
        ("payload", ""),
        ("payload", "\ud800"),
        ("payload", None),
        ("salt", base64url(bytes(16))),
        ("salt", ""),
        ("salt", "*"),
        ("salt", "ü"),
        ("salt", base64url(SALT) + "="),
        ("salt", base64url(SALT[:15])),
        ("session_id", "qrs_" + "cd" * 16),
        ("session_id", SESSION_ID.upper()),
        ("session_id", ""),
    ]
    found = [(f"{name} {value!r}", ZOE.detail(**{name: value})) for name, value in changes]
    for what, phone in (
        ("Mallory's key", MALLORY.proof(sub="zoe@example.com")),
        ("an unknown key", Phone(9, now=NOW).proof()),
        ("stale", Phone(now=NOW - 365).proof()),
        ("from the future", Phone(now=NOW + 65).proof()),
        ("a context", ZOE.proof(ctx=digest("ctx", b"Pay 20 EUR"))),
    ):
        found.append((what, ZOE.detail(phone)))
    return found


def other_claims() -> list[tuple[str, dict[str, Any]]]:
    """Zoe's signature over other claims, as if her phone were out of its mind."""
    right = ZOE.claims()
    changes: list[tuple[str, Any]] = [
        (name, value)
        for name in ("act", "app", "aud", "exp", "iat", "jti", "pay")
        for value in (..., None, [right[name]], {}, True, "")
    ]
    changes += [
        ("act", "deny"),
        ("app", "cs_app_other"),
        ("aud", "https://evil.example"),
        ("aud", [ORIGIN, "https://evil.example"]),
        ("jti", "qrs_" + "cd" * 16),
        ("sub", None),
        ("sub", "mallory"),
        ("sub", "ZOE@example.com"),
        ("sub", ["zoe@example.com"]),
        ("exp", NOW + 301),
        ("exp", NOW + 299),
        ("exp", float(NOW + 300)),
        ("exp", 1e300),
        ("exp", 2**64),
        ("iat", 0),
        ("iat", -1),
        ("nbf", 0),
        ("admin", True),
    ]
    found = [(f"{name} {value!r}", ZOE.proof(**{name: value})) for name, value in changes]
    header = dumps(ZOE.header())
    found += [(f"claims {text:.20}", ZOE.compact(header, text)) for text in ("null", "[]", '"x"', "7", "")]
    return [(what, ZOE.detail(proof)) for what, proof in found]


def other_headers() -> list[tuple[str, dict[str, Any]]]:
    """Other algorithms, types and members of the header."""
    claims = dumps(ZOE.claims())
    changes: list[tuple[str, Any]] = [
        ("alg", "none"),
        ("alg", "HS256"),
        ("alg", "ES384"),
        ("alg", "es256"),
        ("alg", None),
        ("typ", "JWT"),
        ("typ", "Countersign-Login+JWT"),
        ("typ", "application/countersign-login+jwt"),
        ("typ", None),
        ("kid", None),
        ("kid", "__class__"),
        ("kid", [ZOE.key_id]),
        ("kid", ZOE.key_id + "="),
        ("crit", ["exp"]),
        ("crit", []),
        ("b64", True),
        ("jku", "https://evil.example"),
        ("jwk", {"kty": "EC"}),
    ]
    found = [
        (f"{name} {value!r}", ZOE.compact(dumps(ZOE.header(**{name: value})), claims))
        for name, value in changes
    ]
    for alg in ("none", "ES256"):
        unsigned = f"{base64url(dumps(ZOE.header(alg=alg)).encode())}.{base64url(claims.encode())}."
        found.append((f"{alg} without a signature", unsigned))
    text = f"{base64url(dumps(ZOE.header(alg='HS256')).encode())}.{base64url(claims.encode())}"
    for secret in (ZOE.public_key.encode(), base64.b64decode(ZOE.public_key)):
        mac = hmac.digest(secret, text.encode(), hashlib.sha256)
        found.append(("the public key as a secret", f"{text}.{base64url(mac)}"))
    return [(what, ZOE.detail(proof)) for what, proof in found]


def other_spellings() -> list[tuple[str, dict[str, Any]]]:
    """The right header in other spellings, which forgiving readers take."""
    claims, json_text = dumps(ZOE.claims()), dumps(ZOE.header())
    spellings: list[str | bytes] = [
        f" {json_text}",
        f"\ufeff{json_text}",
        f"{json_text}\n",
        json_text.replace(":", ": "),
        json_text.replace("login", "\\u006cogin"),
        json_text.replace("{", '{"alg":"none",', 1),
        json_text.encode("utf-16-le"),
    ]
    found = [(f"header {spelling!r:.40}", ZOE.compact(spelling, claims)) for spelling in spellings]
    encoded = base64url(json_text.encode())
    for header in (f"{encoded}=", f"{encoded}\n", f" {encoded}", encoded.replace("J", "%J", 1)):
        found.append((f"header as {header!r:.20}", ZOE.signed(f"{header}.{base64url(claims.encode())}")))
    return [(what, ZOE.detail(proof)) for what, proof in found]


def other_texts() -> list[tuple[str, dict[str, Any]]]:
    """Texts that are not compact JWTs, and signatures of another form."""
    proof = ZOE.proof()
    text, _, signature = proof.rpartition(".")
    flipped = bytearray(ZOE.sign(text))
    flipped[63] ^= 1
    texts: list[Any] = [
        "",
        ".",
        "..",
        "a.b.c",
        text,
        f"{proof}.{signature}",
        proof + "A" * 2048,
        "ü" * 700,
        "{}",
        None,
    ]
    texts += [f"{text}.{base64url(raw)}" for raw in (bytes(flipped), bytes(64), b"\xff" * 64, b"\1" * 63)]
    texts.append(f"{text}x.{signature}")
    return [(f"text {text!s:.40}", ZOE.detail(proof="", **{}) | {"proof": text}) for text in texts]


FORGERIES = swapped() + other_claims() + other_headers() + other_spellings() + other_texts()


@pytest.mark.parametrize(("what", "detail"), FORGERIES, ids=[what for what, _ in FORGERIES])
def test_forged_logins_are_refused(sync_client: Any, what: str, detail: dict[str, Any]) -> None:
    with pytest.raises(LoginVerificationError):
        verify(sync_client, detail)


@pytest.fixture(scope="module")
def sync_client() -> Any:
    """The rules are the same code for both clients, so one of them runs all forgeries."""
    harness, stub = Harness("sync"), Stub()
    stub.time = NOW
    yield harness.client(stub.url)
    harness.close()
    stub.close()


def test_right_proof_is_verified(client: Any) -> None:
    for find_key in (KEYS.get, lambda kid: KEYS[kid]):
        login = verify(client, ZOE.detail(), find_key=find_key)
        assert (login.user_id, login.key_id) == ("zoe@example.com", ZOE.key_id)
    assert verify(client, ZOE.detail(ZOE.proof(sub=...))).user_id == "zoe@example.com"
    assert verify(client, MALLORY.detail()).user_id == "mallory"


@pytest.mark.parametrize("payload", ["", '✓ \0 \U0001f512 \r\n\t"\\\u2028', "Länge ✓ " * 800])
def test_any_payload_is_verified(client: Any, payload: str) -> None:
    phone = Phone(now=NOW)
    phone.payload = payload
    assert verify(client, phone.detail()).user_id == "zoe@example.com"


def test_callbacks_of_the_kind_of_client_find_keys(client: Any, harness: Harness) -> None:
    assert verify(client, ZOE.detail(), find_key=harness.callback(KEYS.get)).user_id == "zoe@example.com"


def test_asynchronous_callbacks_of_the_other_client_are_refused(sync_client: Any) -> None:
    async def find_key(_kid: str) -> None:
        pass

    with pytest.raises(TypeError, match="AsyncCountersign"):
        verify(sync_client, ZOE.detail(), find_key=find_key)


def test_long_proofs_are_refused(client: Any) -> None:
    for length, holds in ((1000, True), (1200, False)):
        phone = Phone(now=NOW, user="z" * length)
        proof = phone.proof()
        assert (len(proof) <= 2048) == holds
        if holds:
            assert (
                verify(client, phone.detail(proof), find_key=lambda _kid: phone.known).user_id == phone.user
            )
        else:
            with pytest.raises(LoginVerificationError):
                verify(client, phone.detail(proof), find_key=lambda _kid: phone.known)


def test_context_must_be_the_one_that_was_approved(client: Any) -> None:
    text = "Pay 20 EUR to Zoë"
    approved = ZOE.detail(ZOE.proof(ctx=digest("ctx", text.encode())))
    assert verify(client, approved, context=text).user_id == "zoe@example.com"
    for detail, context in (
        (approved, "Pay 21 EUR to Zoë"),
        (approved, ""),
        (approved, None),
        (ZOE.detail(), text),
    ):
        with pytest.raises(LoginVerificationError):
            verify(client, detail, context=context)


def test_pem_is_taken_too(client: Any) -> None:
    key = load_der_public_key(base64.b64decode(ZOE.public_key))
    pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    assert key_id(pem) == ZOE.key_id
    known = KnownKey(pem, "zoe@example.com")
    assert verify(client, ZOE.detail(), find_key=lambda _kid: known).key_id == ZOE.key_id


def test_keys_of_other_kinds_are_a_fault_of_the_caller(client: Any) -> None:
    p384 = ec.generate_private_key(ec.SECP384R1()).public_key()
    der = p384.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    for public_key in (base64.b64encode(der).decode(), "AAAA", "not Base64"):
        known = KnownKey(public_key, "zoe@example.com")
        with pytest.raises(ValueError):
            verify(client, ZOE.detail(), find_key=lambda _kid: known)


def test_app_key_is_needed(harness: Harness, stub: Stub) -> None:
    client = harness.plain(stub.url)
    with pytest.raises(CountersignError, match="app_key"):
        verify(client, ZOE.detail())
    with pytest.raises(CountersignError, match="app_key"):
        harness.login_handler(client, origin=ORIGIN, find_key=KEYS.get, on_login=print)


def test_vectors_hold(harness: Harness, stub: Stub) -> None:
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    assert len(vectors) > 3
    for facts in vectors:
        stub.time = facts["at"] / 1000
        client = harness.client(stub.url, app_key=facts["appKey"])
        owner = facts["publicUserId"] or "somebody"
        assert key_id(facts["publicKey"]) == facts["keyId"]
        known = KnownKey(facts["publicKey"], owner)
        detail = {name: facts[name] for name in ("payload", "salt", "proof")} | {
            "session_id": facts["sessionId"]
        }
        expected = {"origin": facts["origin"], "context": facts["context"]}
        assert verify(client, detail, find_key=lambda _kid: known, **expected).user_id == owner
