"""The phones of countersign.testing: what they send, and what they let a test do wrong."""

import json
import subprocess
import sys
from base64 import b64decode
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from cryptography.hazmat.primitives.serialization import load_der_public_key

from countersign import (
    CountersignError,
    KnownKey,
    LoginVerificationError,
    PhoneRefusedError,
    ProblemError,
)
from countersign import _identity as identity
from countersign import (
    key_id,
    testing,
)
from countersign._contexts import is_context
from countersign.testing import AsyncTestPhone, TestPhone
from support.approvals import iso
from support.harness import Harness
from support.phone import APP, ORIGIN
from support.stub import Answer, Stub, problem

USER = "zoe@example.com"
LINK = "https://login.shop.example?sessionId="


class Browser:
    """A browser with an open login, and the service that tells phones about it."""

    def __init__(self, harness: Harness, stub: Stub, context: str | None = None) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.stub = stub
        point = identity.point_of(self.key.public_key())
        self.id = identity.session_id(APP, ORIGIN, context or "", point)
        self.link = LINK + self.id
        now = harness.world.time
        self.answer = {
            "session": {"mobileTemplateResponse": {"title": "Log in?"}},
            "app": {"name": "Shop"},
            "origin": ORIGIN,
            "browserPublicKey": identity.base64url(point),
            "context": context,
            "checkCode": "42",
            "expiresAt": iso(now + 180),
            "serverTime": iso(now),
        }
        stub.routes[self._path("initiate")] = lambda: Answer(body=self.answer)
        for decision in ("confirm", "deny"):
            stub.routes[self._path(decision)] = Answer(body=True)
        stub.routes[self._path("expire")] = Answer(204)

    def _path(self, action: str) -> str:
        return f"/qr-sessions/{self.id}/{action}"

    def asked(self, action: str) -> Any:
        return self.stub.asked_for(self._path(action))[-1]

    def decrypt(self) -> dict[str, str]:
        sealed = identity.from_base64url(self.asked("confirm").json["payload"])
        info = identity.framed("countersign/qr/2", self.id, ORIGIN)
        plain = Suite(KEM.P256, KDF.HKDF_SHA256, AEAD.AES_256_GCM).decrypt(sealed, self.key, info)
        opened: dict[str, str] = json.loads(plain)
        return opened


@pytest.fixture
def client(harness: Harness, stub: Stub) -> Any:
    stub.time = harness.world.time
    return harness.client(stub.url, api_key="cs_test_secret")


@pytest.fixture
def phone(harness: Harness, client: Any) -> Any:
    return harness.phone(client, user_id=USER)


def opened_by(harness: Harness, phone: Any, link: str, **options: Any) -> Any:
    return harness.wrap(phone.open(link, **options))


@pytest.mark.parametrize("context", [None, "Pay 20 EUR to Zoë"])
def test_confirmation_logs_in(
    harness: Harness, stub: Stub, client: Any, phone: Any, context: str | None
) -> None:
    browser = Browser(harness, stub, context)
    opened = opened_by(harness, phone, browser.link)
    assert (opened.session_id, opened.origin, opened.context) == (browser.id, ORIGIN, context)
    assert (opened.check_code, opened.session) == ("42", browser.answer["session"])
    detail = opened.confirm("a token ✓")
    # The page decrypts the phone's result.
    assert browser.decrypt() == {"payload": "a token ✓", "salt": detail["salt"]}
    assert browser.asked("confirm").json["proof"] == detail["proof"]
    login = client.logins.verify(
        session_id=detail["sessionId"],
        payload=detail["payload"],
        salt=detail["salt"],
        proof=detail["proof"],
        origin=ORIGIN,
        find_key=harness.callback({phone.key_id: KnownKey(phone.public_key, USER)}.get),
        context=context,
    )
    assert (login.user_id, login.key_id) == (USER, phone.key_id)


def test_only_the_phones_token_decides(harness: Harness, stub: Stub, phone: Any) -> None:
    browser = Browser(harness, stub)
    opened = opened_by(harness, phone, browser.link)
    opened.confirm()
    opened.deny("not me")
    initiated = browser.asked("initiate")
    assert initiated.headers["x-api-key"] == "cs_test_secret"
    assert "x-app-key" not in initiated.headers
    for action in ("confirm", "deny"):
        asked = browser.asked(action)
        assert "x-api-key" not in asked.headers
        assert asked.headers["authorization"] == initiated.headers["authorization"]
    assert browser.asked("deny").json == {"payload": "not me"}
    assert browser.asked("confirm").json["encrypted"] is True
    assert "a token" not in str(browser.asked("confirm").body)


def test_each_opening_has_a_token_of_its_own(harness: Harness, stub: Stub, phone: Any) -> None:
    browser = Browser(harness, stub)
    tokens = set()
    for _ in range(2):
        phone.open(browser.link)
        tokens.add(browser.asked("initiate").headers["authorization"])
    assert len(tokens) == 2


@pytest.mark.parametrize(
    ("options", "body", "sub"),
    [
        ({}, {"publicUserId": USER}, USER),
        ({"as_user": "mallory"}, {"publicUserId": "mallory"}, "mallory"),
        ({"as_user": None}, {}, None),
    ],
)
def test_phone_names_its_user_or_another(
    harness: Harness, stub: Stub, phone: Any, options: Any, body: Any, sub: str | None
) -> None:
    browser = Browser(harness, stub)
    opened = opened_by(harness, phone, browser.link, **options)
    assert browser.asked("initiate").json == body
    claims = opened.confirm()["proof"].split(".")[1]
    assert json.loads(identity.from_base64url(claims)).get("sub") == sub


def test_wrong_key_does_not_count(harness: Harness, stub: Stub, client: Any, phone: Any) -> None:
    browser = Browser(harness, stub)
    thief = harness.phone(client, user_id="mallory")
    detail = opened_by(harness, phone, browser.link).confirm(sign_with=harness.raw(thief))
    keys = {one.key_id: one.known_key for one in map(harness.raw, (phone, thief))}
    with pytest.raises(LoginVerificationError, match="another user"):
        client.logins.verify(
            session_id=detail["sessionId"],
            payload=detail["payload"],
            salt=detail["salt"],
            proof=detail["proof"],
            origin=ORIGIN,
            find_key=harness.callback(keys.get),
        )


def test_login_of_a_browser_without_a_key_is_readable(harness: Harness, stub: Stub, phone: Any) -> None:
    browser = Browser(harness, stub)
    browser.id = "qrp_" + "ab" * 16
    for action in ("initiate", "confirm"):
        body = {**browser.answer, "browserPublicKey": None} if action == "initiate" else True
        stub.routes[browser._path(action)] = Answer(body=body)
    with pytest.raises(PhoneRefusedError) as raised:
        phone.open(LINK + browser.id)
    assert raised.value.reason == "plain_refused"
    detail = opened_by(harness, phone, LINK + browser.id, allow_unencrypted=True).confirm("hello")
    sent = browser.asked("confirm").json
    assert sent == {"payload": "hello", "salt": detail["salt"], "proof": detail["proof"]}


def test_key_is_registered_with_a_signature(harness: Harness, stub: Stub, phone: Any) -> None:
    stub.routes["/association-keys"] = lambda: Answer(body={"keyId": phone.key_id})
    assert phone.register() == phone.key_id == key_id(phone.public_key)
    handed = phone.registration
    assert sorted(handed) == ["publicKey", "publicUserId", "signature"]
    for sent in (stub.asked_for("/association-keys")[0].json, handed):
        assert (sent["publicUserId"], sent["publicKey"]) == (USER, phone.public_key)
        assert_signed(phone, sent["signature"])


def assert_signed(phone: Any, signature: str) -> None:
    public = load_der_public_key(b64decode(phone.public_key))
    assert isinstance(public, ec.EllipticCurvePublicKey)
    signed = f"countersign-association-key/1\n{APP}\n{USER}".encode()
    public.verify(b64decode(signature), signed, ec.ECDSA(SHA256()))


def test_late_answer_is_what_the_service_says(harness: Harness, stub: Stub, phone: Any) -> None:
    browser = Browser(harness, stub)
    opened = opened_by(harness, phone, browser.link)
    with pytest.raises(CountersignError, match="accepted a late confirmation"):
        opened.confirm_late()
    stub.routes[browser._path("confirm")] = problem(410, "session_expired")
    with pytest.raises(ProblemError) as raised:
        opened.confirm_late()
    assert (raised.value.status, raised.value.code) == (410, "session_expired")
    assert browser.asked("expire").headers["x-api-key"] == "cs_test_secret"


@pytest.mark.parametrize("action", ["initiate", "confirm", "deny"])
def test_refusals_of_the_service_are_raised(harness: Harness, stub: Stub, phone: Any, action: str) -> None:
    browser = Browser(harness, stub)
    stub.routes[browser._path(action)] = problem(403, "user_mismatch")
    with pytest.raises(ProblemError) as raised:
        opened = opened_by(harness, phone, browser.link)
        getattr(opened, action)()
    assert raised.value.code == "user_mismatch"


@pytest.mark.parametrize("answer", [Answer(body=False), Answer(body={}), Answer(body="true!")])
def test_answer_that_is_no_decision_is_refused(
    harness: Harness, stub: Stub, phone: Any, answer: Answer
) -> None:
    browser = Browser(harness, stub)
    opened = opened_by(harness, phone, browser.link)
    stub.routes[browser._path("confirm")] = answer
    with pytest.raises(CountersignError):
        opened.confirm()


def test_login_is_opened_in_a_pages_place(harness: Harness, stub: Stub, client: Any) -> None:
    start = testing.start_test_login_async if harness.asynchronous else testing.start_test_login
    stub.routes["/qr-sessions"] = Answer(body={"sessionId": "qrs_" + "ab" * 16})
    opened = [harness.wrap(start)(harness.raw(client), origin=ORIGIN) for _ in range(2)]
    assert [login.session_id for login in opened] == ["qrs_" + "ab" * 16] * 2
    asked = stub.asked_for("/qr-sessions")
    tokens = {one.headers["authorization"].removeprefix("Bearer ") for one in asked}
    keys = {one.json["browserPublicKey"] for one in asked}
    assert [len(identity.from_base64url(token)) for token in tokens] == [32, 32]
    assert len({identity.point_of(identity.key_of_point(key)) for key in keys}) == 2
    assert all(sorted(one.json) == ["browserPublicKey", "origin"] for one in asked)


def test_live_keys_are_refused(harness: Harness, stub: Stub) -> None:
    for api_key in ("cs_live_secret", "secret"):
        client = harness.client(stub.url, api_key=api_key)
        with pytest.raises(CountersignError, match="test key"):
            harness.phone(client, user_id=USER)


def test_options_are_checked(harness: Harness, stub: Stub, client: Any, phone: Any) -> None:
    for user_id in (None, "", 7):
        with pytest.raises(ValueError):
            harness.phone(client, user_id=user_id)
    with pytest.raises(CountersignError, match="app_key"):
        harness.phone(harness.plain(stub.url, api_key="cs_test_secret"), user_id=USER)
    other = TestPhone if harness.asynchronous else AsyncTestPhone
    with pytest.raises(ValueError, match="first argument"):
        other(harness.raw(client), user_id=USER)
    browser = Browser(harness, stub)
    for options in ({"as_user": ""}, {"as_user": 7}, {"allow_unencrypted": "yes"}):
        with pytest.raises(ValueError):
            phone.open(browser.link, **options)
    with pytest.raises(ValueError):
        phone.open(None)
    opened = opened_by(harness, phone, browser.link)
    for sign_with in (None, "a key"):
        with pytest.raises(ValueError, match="sign_with"):
            opened.confirm(sign_with=sign_with)


def test_secrets_are_not_shown(harness: Harness, stub: Stub, phone: Any) -> None:
    browser = Browser(harness, stub)
    opened = opened_by(harness, phone, browser.link)
    token = browser.asked("initiate").headers["authorization"].removeprefix("Bearer ")
    raw = harness.raw(opened)
    assert token not in repr(raw) + repr(raw._login)


@pytest.mark.parametrize(
    "text",
    [
        "Pay 20 EUR to Zoë",
        "支払う、20円　ありがとう",
        "می\u200cخواهم",
        "क्\u200dष श्री\u200cमान",
        "བཀྲ་ཤིས་བདེ་ལེགས།",
        "Tiếng Việt",
        "\u0600١٢٣",
        "👍🏽 👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥",
        "1\ufe0f\u20e3 ☎\ufe0e 🇩🇪",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "«\u00a020\u202f000 €\u00a0»",
        "x" * 1024,
        "x\n" * 11 + "x",
    ],
)
def test_fair_texts_are_shown(text: str) -> None:
    assert is_context(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\u3164",
        "\u2800",
        "x" * 1025,
        "ü" * 513,
        "x\n" * 12 + "x",
        "e\u0301",
        "\u0301x",
        "x" + "\u0331" * 9,
        "a\u200db"[1:],
        "x\u202ey",
        "x\u2066y",
        "x\u00ady",
        "x\u034fy",
        "x\u115fy",
        "x\ufffcy",
        "x\ufeffy",
        "x\x00y",
        "x\x85y",
        "x\u2028y",
        "x\ue000",
        "x\uffff",
        "x\u0378",
        "\ud800",
    ],
)
def test_texts_that_hide_something_are_not_shown(text: str) -> None:
    assert not is_context(text)


def test_test_runner_takes_a_phone_for_no_test(tmp_path: Any) -> None:
    suite = tmp_path / "test_shop.py"
    suite.write_text("from countersign.testing import TestPhone, AsyncTestPhone\n\ndef test_it(): pass\n")
    words = [sys.executable, "-m", "pytest", "-q", "-W", "error", str(suite)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout


def test_older_cryptography_is_reported(tmp_path: Any) -> None:
    program = (
        "import sys; sys.modules['cryptography.hazmat.primitives.hpke'] = None; import countersign.testing"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert "countersign-server[testing]" in done.stderr
