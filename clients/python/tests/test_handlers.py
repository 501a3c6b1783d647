"""Handlers answer as documented, and act once."""

import json
import logging
from typing import Any

import pytest

from countersign.handlers import MAX_BODY, Reply
from support.harness import Harness
from support.phone import ORIGIN, Phone, dumps
from support.signing import (
    CONFIRMATION_ID,
    REGISTRATION_ID,
    SESSION_ID,
    SigningKey,
    event,
    login_event,
    phone_event,
)
from support.stub import Answer, Stub

JWKS = "/.well-known/jwks.json"


class Failure(Exception):
    pass


@pytest.fixture
def key(stub: Stub) -> SigningKey:
    key = SigningKey()
    stub.routes[JWKS] = Answer(body={"keys": [key.jwk]})
    return key


class Webhooks:
    """A handler of webhooks, and what it acted on."""

    def __init__(self, harness: Harness, client: Any, key: SigningKey, **more: Any) -> None:
        self.acted: list[Any] = []
        self.failures: list[Exception] = []
        self._key = key
        callback = harness.callback(self._act)
        self._handler = harness.webhook_handler(client, on_verified=callback, **more)

    def _act(self, event: Any) -> None:
        if self.failures:
            raise self.failures.pop()
        self.acted.append(event)

    def post(
        self, body: bytes, headers: dict[str, str] | None = None, method: str = "POST"
    ) -> tuple[int, str]:
        reply = self._handler(method, self._key.headers(body) if headers is None else headers, body)
        assert isinstance(reply, Reply)
        assert reply.headers["content-type"] == "text/plain; charset=utf-8"
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["x-content-type-options"] == "nosniff"
        return reply.status, reply.body


@pytest.fixture
def webhooks(harness: Harness, client: Any, key: SigningKey) -> Webhooks:
    return Webhooks(harness, client, key)


def start(client: Any, stub: Stub, id: str = CONFIRMATION_ID) -> None:
    stub.script.append(Answer(body={"confirmationId": id}))
    client.confirmations.acquire()


def open_login(client: Any, stub: Stub) -> None:
    stub.script.append(Answer(body={"sessionId": SESSION_ID}))
    client.logins.create(browser_token="token", origin=ORIGIN)


def test_confirmation_is_acted_on_once(client: Any, stub: Stub, webhooks: Webhooks) -> None:
    assert webhooks.post(event()) == (404, "unknown confirmation")
    start(client, stub)
    assert webhooks.post(event()) == (200, "accepted")
    assert webhooks.post(event(metadata={"another": "body"})) == (200, "already accepted")
    [acted] = webhooks.acted
    assert (acted.phone_number, acted.metadata) == ("+12025550100", {"text": "Grüße"})


def test_concurrent_deliveries_are_acted_on_once(
    client: Any, stub: Stub, webhooks: Webhooks, harness: Harness, key: SigningKey
) -> None:
    start(client, stub)
    calls = [lambda raw: raw("POST", key.headers(event()), event())] * 8
    replies = harness.together(webhooks._handler, calls)
    assert sorted(reply.body for reply in replies) == ["accepted"] + ["already accepted"] * 7
    assert len(webhooks.acted) == 1


def test_failure_to_act_is_answered_500_and_tried_again(
    client: Any, stub: Stub, webhooks: Webhooks, caplog: pytest.LogCaptureFixture
) -> None:
    start(client, stub)
    webhooks.failures.append(Failure("the database is down"))
    assert webhooks.post(event()) == (500, "internal error")
    assert "the database is down" in caplog.text
    assert webhooks.post(event()) == (200, "accepted")


def test_requests_that_are_no_webhooks(client: Any, stub: Stub, webhooks: Webhooks, key: SigningKey) -> None:
    start(client, stub)
    headers = key.headers(event())
    assert webhooks.post(event(), method="GET") == (405, "POST only")
    assert webhooks.post(bytes(MAX_BODY + 1))[0] == 413
    assert webhooks.post(event() + b" " * (MAX_BODY - len(event()))) == (200, "accepted")
    assert webhooks.post(event(), {}) == (403, "signature refused")
    assert webhooks.post(event() + b" ", headers) == (403, "signature refused")
    assert webhooks.post(b"{}") == (400, "not a confirmation")
    assert len(webhooks.acted) == 1


def test_keys_that_cannot_be_fetched_are_answered_500(stub: Stub, webhooks: Webhooks) -> None:
    stub.routes[JWKS] = Answer(503, "down")
    assert webhooks.post(event()) == (500, "cannot verify just now")


def test_body_that_was_read_before_has_its_own_reason(
    webhooks: Webhooks, key: SigningKey, caplog: pytest.LogCaptureFixture
) -> None:
    headers = {**key.headers(event()), "Content-Length": str(len(event()))}
    assert webhooks.post(b"", headers) == (500, "internal error")
    assert "let nothing read or parse the request before this handler" in caplog.text


def test_login_webhooks_need_a_callback_and_a_login_of_this_server(
    client: Any, stub: Stub, webhooks: Webhooks, harness: Harness, key: SigningKey
) -> None:
    assert webhooks.post(login_event()) == (400, "not a confirmation")
    decided: list[Any] = []
    both = Webhooks(harness, client, key, on_login=harness.callback(decided.append))
    assert both.post(login_event()) == (404, "unknown login")
    open_login(client, stub)
    assert stub.asked[-1].headers["authorization"] == "Bearer token"
    assert stub.asked[-1].json == {"origin": ORIGIN}
    assert both.post(login_event()) == (200, "accepted")
    assert both.post(login_event()) == (200, "already accepted")
    assert [login.session_id for login in decided] == [SESSION_ID]


def test_phone_that_was_set_up_is_reported_once(
    client: Any, stub: Stub, harness: Harness, key: SigningKey
) -> None:
    phones: list[Any] = []
    failures: list[Exception] = [Failure("the mail server is down")]

    def on_phone_registered(registered: Any) -> None:
        if failures:
            raise failures.pop()
        phones.append(registered)

    webhooks = Webhooks(harness, client, key, on_phone_registered=harness.callback(on_phone_registered))
    assert webhooks.post(phone_event()) == (404, "unknown registration")
    stub.script.append(Answer(body={"registrationId": REGISTRATION_ID}))
    client.phone_registrations.create(public_user_id="zoe@example.com", label="Zoë")
    assert stub.asked[-1].json == {"publicUserId": "zoe@example.com", "label": "Zoë"}
    assert webhooks.post(phone_event(), key.headers(phone_event(keyId="k2"))) == (403, "signature refused")
    for malformed in (
        {"registrationId": ""},
        {"keyId": 7},
        {"publicUserId": None},
        {"event": "phone.removed"},
    ):
        assert webhooks.post(phone_event(**malformed)) == (400, "not a confirmation")
    assert webhooks.post(phone_event()) == (500, "internal error")
    assert phones == []
    assert webhooks.post(phone_event()) == (200, "accepted")
    assert webhooks.post(phone_event(label="Safari on iOS")) == (200, "already accepted")
    [phone] = phones
    assert (phone.public_user_id, phone.kind, phone.test) == ("zoe@example.com", "passkey", None)
    assert webhooks.acted == []


def test_phone_that_was_set_up_is_acknowledged_without_a_callback(webhooks: Webhooks) -> None:
    assert webhooks.post(phone_event(), {}) == (403, "signature refused")
    assert webhooks.post(phone_event()) == (200, "acknowledged")
    assert webhooks.acted == []


class Page:
    """A page that posts logins, and what its server logged in."""

    def __init__(self, harness: Harness, client: Any, phone: Phone) -> None:
        self.logged_in: list[Any] = []
        self.result: Any = None
        find_key = {phone.key_id: phone.known}.get
        callback = harness.callback(self._log_in)
        options = {"origin": ORIGIN, "find_key": harness.callback(find_key), "on_login": callback}
        self._handler = harness.login_handler(client, **options)

    def _log_in(self, login: Any, context: Any) -> Any:
        if isinstance(self.result, Exception):
            raise self.result
        self.logged_in.append((login.user_id, login.key_id, context))
        return self.result

    def post(self, body: Any, origin: str | None = ORIGIN, method: str = "POST") -> Any:
        raw = body if isinstance(body, bytes) else dumps(body).encode()
        reply = self._handler(method, {} if origin is None else {"Origin": origin}, raw, "the request")
        return (reply.status, reply.body) if isinstance(reply, Reply) else reply


def posted(phone: Phone, **changes: Any) -> dict[str, Any]:
    detail: dict[str, Any] = phone.detail(**changes)
    return {"sessionId": detail.pop("session_id"), **detail}


@pytest.fixture
def phone(harness: Harness) -> Phone:
    return Phone(now=harness.world.time)


@pytest.fixture
def page(harness: Harness, client: Any, stub: Stub, phone: Phone, key: SigningKey) -> Page:
    return Page(harness, client, phone)


def test_login_is_taken_once(page: Page, phone: Phone, harness: Harness) -> None:
    assert page.post(posted(phone)) == (200, "logged in")
    assert page.post(posted(phone)) == (403, "not logged in")
    later = Phone(now=harness.world.time + 1)
    assert page.post(posted(later)) == (403, "not logged in")
    assert page.logged_in == [("zoe@example.com", phone.key_id, "the request")]


def test_concurrent_logins_succeed_once(page: Page, phone: Phone, harness: Harness) -> None:
    body = dumps(posted(phone)).encode()
    calls = [lambda raw: raw("POST", {"origin": ORIGIN}, body)] * 8
    replies = harness.together(page._handler, calls)
    assert sorted(reply.status for reply in replies) == [200] + [403] * 7


def test_answer_of_the_callback_is_the_answer(page: Page, phone: Phone) -> None:
    page.result = "a response of the framework"
    assert page.post(posted(phone)) == "a response of the framework"


def test_login_that_cannot_be_set_can_be_tried_again(page: Page, phone: Phone) -> None:
    page.result = Failure()
    assert page.post(posted(phone)) == (500, "internal error")
    page.result = None
    assert page.post(posted(phone)) == (200, "logged in")


def test_refused_proof_uses_nothing_up_and_only_the_log_says_why(
    page: Page, phone: Phone, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "countersign"):
        assert page.post(posted(phone, payload="another")) == (403, "not logged in")
    assert "for another payload" in caplog.text
    assert page.post(posted(phone)) == (200, "logged in")


def test_webhook_about_a_login_does_not_use_it_up(
    page: Page, phone: Phone, client: Any, stub: Stub, harness: Harness, key: SigningKey
) -> None:
    webhooks = Webhooks(harness, client, key, on_login=harness.callback(lambda _event: None))
    open_login(client, stub)
    assert webhooks.post(login_event()) == (200, "accepted")
    assert page.post(posted(phone)) == (200, "logged in")


@pytest.mark.parametrize("origin", [None, "null", "https://evil.example", ORIGIN + "/"])
def test_other_pages_log_no_user_in(page: Page, phone: Phone, origin: str | None) -> None:
    assert page.post(posted(phone), origin) == (403, "not logged in")
    assert page.logged_in == []


def test_bodies_that_are_no_logins(page: Page, phone: Phone) -> None:
    right = posted(phone)
    bodies = [b"", b"null", b"[]", b"{}", b'"text"', b"\xff", b"[" * 20_000, dumps(right).encode()[1:]]
    bodies += [
        json.dumps({**right, member: value}).encode()
        for member in right
        for value in (None, 7, [right[member]], {}, "\ud800")
    ]
    for body in bodies:
        assert page.post(body) == (400, "not a login"), body[:100]
    assert page.post(b" " * (MAX_BODY + 1))[0] == 413
    assert page.post(right, method="PUT") == (405, "POST only")
    assert page.post(right) == (200, "logged in")


def test_headers_and_bodies_have_the_forms_that_hosts_give_them(
    harness: Harness, client: Any, key: SigningKey
) -> None:
    body = event()
    handler = harness.webhook_handler(client, on_verified=harness.callback(lambda _event: None))
    client.store.remember(CONFIRMATION_ID, 60, harness.callback(lambda: None))
    headers = key.headers(body)
    for given in (
        headers,
        list(headers.items()),
        {name.upper(): [value] for name, value in headers.items()},
        [(name.encode(), value.encode()) for name, value in headers.items()],
        {**headers, "x-none": None, "x-list": []},
    ):
        assert handler("POST", given, body).status == 200
    for raw in (bytearray(body), memoryview(body), body.decode()):
        assert handler("POST", headers, raw).status == 200


def test_parsed_body_is_reported_with_the_remedy(
    harness: Harness, client: Any, key: SigningKey, caplog: pytest.LogCaptureFixture
) -> None:
    handler = harness.webhook_handler(client, on_verified=harness.callback(lambda _event: None))
    for parsed in (json.loads(event()), None, 7):
        caplog.clear()
        assert handler("POST", key.headers(event()), parsed).status == 500
        assert "pass the raw body" in caplog.text
        with pytest.raises(TypeError, match="pass the raw body"):
            client.webhooks.verify(parsed, key.headers(event()))


def test_origin_that_came_twice_is_refused(harness: Harness, client: Any) -> None:
    callback = harness.callback(lambda *_: None)
    handler = harness.login_handler(
        client, origin=ORIGIN, find_key=harness.callback(lambda _id: None), on_login=callback
    )
    for origins in ([ORIGIN, "https://evil.example"], ["https://evil.example", ORIGIN]):
        assert handler("POST", [("origin", one) for one in origins], b"{}").status == 403


def test_store_that_does_not_act_accepts_nothing(harness: Harness, stub: Stub, key: SigningKey) -> None:
    class Idle:
        def remember(self, id: str, ttl_seconds: int, act: Any) -> bool:
            return False

        def accept(self, id: str, act: Any) -> str:
            return "accepted"

    stub.time = harness.world.time
    client = harness.client(stub.url, store=Idle())
    handler = harness.webhook_handler(client, on_verified=harness.callback(lambda _event: None))
    assert handler("POST", key.headers(event()), event()).status == 500


def test_store_may_act_again_after_a_conflict(harness: Harness, stub: Stub, phone: Phone) -> None:
    class Retrying:
        def remember(self, id: str, ttl_seconds: int, act: Any) -> bool:
            return False

        def accept(self, id: str, act: Any) -> str:
            act()  # This transaction is rolled back.
            act()
            return "accepted"

    class AsyncRetrying(Retrying):
        async def accept(self, id: str, act: Any) -> str:  # type: ignore[override]
            await act()
            await act()
            return "accepted"

    stub.time = harness.world.time
    stub.routes[JWKS] = Answer(body={"keys": []})
    client = harness.client(stub.url, store=AsyncRetrying() if harness.asynchronous else Retrying())
    page = Page(harness, client, phone)
    assert page.post(posted(phone)) == (200, "logged in")


def test_callbacks_are_checked_when_they_are_mounted(harness: Harness, client: Any) -> None:
    async def later(_event: Any) -> None: ...

    for wrong in (lambda: None, lambda _a, _b: None, later if not harness.asynchronous else None):
        with pytest.raises(ValueError):
            harness.webhook_handler(client, on_verified=wrong)
    # Functions written in C, methods and functions with defaults are accepted.
    for right in ([].append, {}.get, print, lambda _event, _more=None: None):
        harness.webhook_handler(client, on_verified=right)


def test_handler_of_the_other_kind_of_client_is_refused(harness: Harness) -> None:
    other = Harness("sync" if harness.asynchronous else "async")
    client = other.client("https://countersign.example")
    with pytest.raises(ValueError, match="the first argument"):
        harness.webhook_handler(other.raw(client), on_verified=lambda _event: None)
    other.close()
