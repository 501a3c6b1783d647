"""Requests: their form, their repetition, and the results."""

import asyncio
import contextlib
import socket
import threading
import time
import traceback
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

import countersign
import countersign.handlers
from countersign import CountersignError, ProblemError, to_json
from countersign._options import UNSET
from countersign._requests import Request
from countersign._transport import AsyncTransport, Transport
from support.harness import Harness
from support.signing import CONFIRMATION_ID, SigningKey, event
from support.stub import Answer, Stub, problem

STARTED = Answer(
    body={
        "confirmationId": CONFIRMATION_ID,
        "confirmationMessage": "CS-7Q2M0XK4V9T1BHNE",
        "confirmationUri": {"qr": "smsto:+12025550199:CS-7Q2M0XK4V9T1BHNE"},
        "sendTo": "+12025550199",
        "expiresAt": "2027-01-15T08:05:00.000Z",
        "expiresIn": 300,
        "futureMember": {"any": 1},
    }
)
CONFIRMATION = Answer(
    body={"confirmationId": CONFIRMATION_ID, "status": "a_new_status", "flow": "acquisition"}
)

CURSORS = ["", "&cursor=0%2F%2B", "&cursor=1%2F%2B"]


def test_start_sends_documented_and_unknown_members(client: Any, stub: Stub) -> None:
    stub.script = [STARTED]
    session = client.confirmations.confirm(
        phone_number="+12025550100", callback_url=None, metadata={"snake_case": 1}, delivery_country="FR"
    )
    [asked] = stub.asked
    assert (asked.method, asked.path) == ("POST", "/make-confirmation")
    assert asked.json == {
        "phoneNumber": "+12025550100",
        "metadata": {"snake_case": 1},
        "deliveryCountry": "FR",
    }
    assert asked.headers["x-api-key"] == "cs_live_secret"
    assert (session.confirmation_id, session.expires_in) == (CONFIRMATION_ID, 300)
    assert session.expires_at.isoformat() == "2027-01-15T08:05:00+00:00"
    assert session.confirmation_uri.qr == "smsto:+12025550199:CS-7Q2M0XK4V9T1BHNE"
    assert session.confirmation_uri.sms is None


def test_answer_becomes_json_for_a_page(client: Any, stub: Stub) -> None:
    stub.script = [STARTED]
    known = {name: value for name, value in STARTED.body.items() if name != "futureMember"}
    assert to_json(client.confirmations.acquire()) == known


def test_passing_failures_are_retried_with_one_idempotency_key(
    client: Any, stub: Stub, harness: Harness
) -> None:
    stub.script = [Answer(lost=True), problem(503, "service_unavailable"), STARTED]
    assert client.confirmations.acquire().confirmation_id == CONFIRMATION_ID
    keys = {asked.headers["idempotency-key"] for asked in stub.asked}
    assert len(stub.asked) == 3 and len(keys) == 1
    assert harness.world.waits == [0.5, 1.0]
    stub.script = [STARTED, STARTED]
    client.confirmations.acquire()
    client.confirmations.acquire(idempotency_key="mine")
    assert stub.asked[3].headers["idempotency-key"] not in keys
    assert stub.asked[4].headers["idempotency-key"] == "mine"


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_last_failure_is_reported_after_three_tries(client: Any, stub: Stub, status: int) -> None:
    stub.script = [problem(status, "some_trouble") for _ in range(3)]
    with pytest.raises(ProblemError) as raised:
        client.confirmations.get(CONFIRMATION_ID)
    assert (raised.value.status, raised.value.code, len(stub.asked)) == (status, "some_trouble", 3)


def test_lost_answers_become_a_connection_error(client: Any, stub: Stub) -> None:
    stub.script = [Answer(lost=True) for _ in range(3)]
    with pytest.raises(countersign.APIConnectionError):
        client.confirmations.get(CONFIRMATION_ID)
    assert len(stub.asked) == 3


def test_jitter_prolongs_the_waits(client: Any, stub: Stub, harness: Harness) -> None:
    harness.world.chance = 1.0
    stub.script = [Answer(lost=True), Answer(lost=True), CONFIRMATION]
    client.confirmations.get(CONFIRMATION_ID)
    assert harness.world.waits == [0.625, 1.25]


def test_refusals_are_typed_and_not_repeated(client: Any, stub: Stub) -> None:
    stub.script = [problem(422, "phone_number_not_possible", detail="why", field="/phoneNumber")]
    with pytest.raises(ProblemError) as raised:
        client.confirmations.confirm(phone_number="+12025550100")
    error = raised.value
    assert isinstance(error, CountersignError)
    assert (error.status, error.code, error.title) == (422, "phone_number_not_possible", "A title")
    assert (error.detail, error.field, error.request_id) == ("why", "/phoneNumber", "req_1")
    assert error.retry_after is None
    assert len(stub.asked) == 1


@pytest.mark.parametrize(
    "answer",
    [
        Answer(200, "<html>"),
        Answer(200, "[]"),
        Answer(200, "[" * 100_000),
        Answer(301, "", {"location": "http://127.0.0.1:1/"}),
        Answer(307, {"code": "elsewhere"}, {"location": "/acquire-phone-number"}),
        Answer(404, "<html>"),
    ],
)
def test_answers_of_something_else_are_connection_errors(client: Any, stub: Stub, answer: Answer) -> None:
    stub.script = [answer]
    with pytest.raises(countersign.APIConnectionError) as raised:
        client.confirmations.acquire()
    assert raised.value.status == answer.status
    assert len(stub.asked) == 1


def test_redelivery_is_repeated_only_if_it_was_not_acted_on(
    client: Any, stub: Stub, harness: Harness
) -> None:
    for lost in (Answer(lost=True), problem(500, "internal_error"), problem(503, "service_unavailable")):
        stub.asked.clear()
        stub.script = [lost]
        with pytest.raises(CountersignError):
            client.confirmations.redeliver(CONFIRMATION_ID)
        assert len(stub.asked) == 1
    stub.script = [problem(429, "app_rate_exceeded"), Answer(202, CONFIRMATION.body)]
    assert client.confirmations.redeliver(CONFIRMATION_ID).confirmation_id == CONFIRMATION_ID

    harness.world.waits.clear()
    with socket.socket() as unused:
        # Bound but not listening, so that nothing else gets the port.
        unused.bind(("127.0.0.1", 0))
        closed = harness.client(f"http://127.0.0.1:{unused.getsockname()[1]}")
        with pytest.raises(countersign.APIConnectionError):
            closed.confirmations.redeliver(CONFIRMATION_ID)
    assert harness.world.waits == [0.5, 1.0]


def test_each_try_has_a_deadline(harness: Harness, stub: Stub) -> None:
    stub.script = [Answer(body={"a": 1}, stalls_after=3)]
    kind = AsyncTransport if harness.asynchronous else Transport
    transport = harness.wrap(kind(stub.url))
    outcome = transport.send(Request("GET", "/"), 0.1)
    assert isinstance(outcome, Exception) and "Timeout" in str(outcome)
    transport.close()


def test_calls_of_confirmations(client: Any, stub: Stub) -> None:
    for call, method, path in [
        (client.confirmations.get, "GET", ""),
        (client.confirmations.cancel, "DELETE", ""),
        (client.confirmations.redact, "POST", "/redact"),
    ]:
        stub.script = [CONFIRMATION]
        confirmation = call(CONFIRMATION_ID)
        assert (confirmation.confirmation_id, confirmation.status) == (CONFIRMATION_ID, "a_new_status")
        assert (stub.asked[-1].method, stub.asked[-1].path) == (
            method,
            f"/confirmations/{CONFIRMATION_ID}{path}",
        )


def test_list_goes_through_all_pages(client: Any, stub: Stub) -> None:
    pages = [["a", "b"], [], ["c"]]
    stub.script = [
        Answer(body={"confirmations": [{"confirmationId": id} for id in page], "nextCursor": f"{number}/+"})
        for number, page in enumerate(pages)
    ]
    del stub.script[-1].body["nextCursor"]
    found = client.confirmations.list(status="verified", last_digits="0100", limit=2, any_filter="x")
    assert [confirmation.confirmation_id for confirmation in found] == ["a", "b", "c"]
    queries = [f"status=verified&lastDigits=0100&limit=2{cursor}&anyFilter=x" for cursor in CURSORS]
    assert [asked.path for asked in stub.asked] == [f"/confirmations?{query}" for query in queries]


def test_list_of_logins_goes_through_all_pages(client: Any, stub: Stub) -> None:
    stub.script = [
        Answer(body={"sessions": [{"sessionId": "qrs_1"}, {"sessionId": "qrs_2"}], "nextCursor": "a/b"}),
        Answer(body={"sessions": [{"sessionId": "qrs_3"}]}),
    ]
    found = client.logins.list(
        state="confirmed", created_from="2026-01-02T03:04:05Z", limit=2, any_filter="x"
    )
    assert [login.session_id for login in found] == ["qrs_1", "qrs_2", "qrs_3"]
    query = "state=confirmed&createdFrom=2026-01-02T03%3A04%3A05Z&limit=2"
    paths = [f"/qr-sessions?{query}{cursor}&anyFilter=x" for cursor in ("", "&cursor=a%2Fb")]
    assert [asked.path for asked in stub.asked] == paths


def test_list_sends_times_as_the_service_reads_them(client: Any, stub: Stub) -> None:
    stub.script = [Answer(body={"confirmations": []})]
    at = datetime(2026, 1, 2, 3, 4, 5, 678_900, timezone(timedelta(hours=1)))
    assert list(client.confirmations.list(created_from=at, created_before="2026-02-01T00:00:00Z")) == []
    query = "createdFrom=2026-01-02T02%3A04%3A05.678Z&createdBefore=2026-02-01T00%3A00%3A00Z"
    assert stub.asked[0].path == f"/confirmations?{query}"


def test_association_keys(client: Any, stub: Stub) -> None:
    stub.script = [
        Answer(body={"keyId": "k1"}),
        Answer(body={"keys": [{"keyId": "k1", "registeredAt": "2026-01-02T03:04:05.678Z"}]}),
        Answer(body={"keyId": "k1"}),
    ]
    keys = client.association_keys
    assert keys.register(public_user_id="zoe", public_key="MFkw", signature="MEUC").key_id == "k1"
    [key] = keys.list(public_user_id="zoe&x")
    assert (key.key_id, key.registered_at.year) == ("k1", 2026)
    assert keys.revoke("k1").key_id == "k1"
    assert stub.asked[0].json == {"publicUserId": "zoe", "publicKey": "MFkw", "signature": "MEUC"}
    assert [asked.path for asked in stub.asked] == [
        "/association-keys",
        "/association-keys?publicUserId=zoe%26x",
        "/association-keys/k1",
    ]


def test_ids_cannot_name_another_path(client: Any, stub: Stub) -> None:
    for id in ("", "..", "a/b", "a?b", "a%2fb", "ä"):
        with pytest.raises(ValueError):
            client.confirmations.get(id)
        with pytest.raises(ValueError):
            client.logins.cancel(id)
    assert stub.asked == []


def test_call_ends_with_its_total(harness: Harness, stub: Stub) -> None:
    stalls = Answer(body={"a": 1}, stalls_after=3)
    for client, limits in (
        (harness.client(stub.url, real_time=True, timeout=1), {}),
        (harness.client(stub.url, real_time=True), {"timeout": 1, "max_retries": 0}),
    ):
        stub.script = [stalls]
        began = time.monotonic()
        with pytest.raises(countersign.APIConnectionError, match=f"the service at {stub.url} did not answer"):
            client.confirmations.get(CONFIRMATION_ID, **limits)
        assert time.monotonic() - began < 5
        assert stub.script == []


class Dripping:
    """A service that sends a byte now and then, for ever: of its headers, or of its body."""

    def __init__(self, head: bytes) -> None:
        self._head = head
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ended = threading.Event()
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        connection, _ = self._listener.accept()
        with connection, contextlib.suppress(OSError):
            connection.sendall(self._head)
            while not self._ended.wait(0.01):
                connection.sendall(b"x")

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        self._listener.close()


@pytest.mark.parametrize(
    "head",
    [b"HTTP/1.1 200 OK\r\nx-endless: ", b"HTTP/1.1 200 OK\r\ncontent-length: 999999\r\n\r\n"],
    ids=["headers", "body"],
)
def test_dripping_answer_ends_with_the_total(harness: Harness, head: bytes) -> None:
    service = Dripping(head)
    client = harness.client(service.url, real_time=True, timeout=0.3, max_retries=0)
    began = time.monotonic()
    with pytest.raises(countersign.APIConnectionError, match="Timeout"):
        client.confirmations.get(CONFIRMATION_ID)
    assert 0.2 < time.monotonic() - began < 3
    service.close()


def test_answer_that_arrives_after_the_total_is_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 1.1])
    monkeypatch.setattr("countersign._transport.time", SimpleNamespace(monotonic=lambda: next(times)))
    answer = httpx.MockTransport(lambda _request: httpx.Response(200, json={}))
    with httpx.Client(transport=answer) as given:
        outcome = Transport("https://countersign.example", given).send(Request("GET", "/confirmations"), 1.0)
    assert str(outcome) == "ReadTimeout"


@pytest.mark.parametrize("bypassed", [False, True])
def test_proxy_of_the_environment_is_used(
    harness: Harness, stub: Stub, monkeypatch: pytest.MonkeyPatch, bypassed: bool
) -> None:
    monkeypatch.setenv("HTTP_PROXY", stub.url.replace("//", "//user:pass%40word@"))
    monkeypatch.setenv("NO_PROXY", "countersign" if bypassed else "other.example")
    client = harness.client("http://countersign:8080", allow_unencrypted_http=True, max_retries=0)
    stub.script = [CONFIRMATION]
    if bypassed:
        with pytest.raises(countersign.APIConnectionError):
            client.confirmations.get(CONFIRMATION_ID)
        assert stub.asked == []
    else:
        client.confirmations.get(CONFIRMATION_ID)
        assert stub.asked[0].path == f"http://countersign:8080/confirmations/{CONFIRMATION_ID}"
        assert stub.asked[0].headers["proxy-authorization"] == "Basic dXNlcjpwYXNzQHdvcmQ="


def test_limits_of_a_call_are_checked(client: Any, stub: Stub) -> None:
    for wrong in (
        {"timeout": 0},
        {"timeout": float("nan")},
        {"timeout": "5"},
        {"timeout": True},
        {"max_retries": -1},
        {"max_retries": 1.5},
        {"max_retries": 11},
    ):
        with pytest.raises(ValueError):
            client.confirmations.get(CONFIRMATION_ID, **wrong)
    assert stub.asked == []


def test_given_client_of_httpx_sends_all_requests(harness: Harness, stub: Stub) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(301, headers={"location": "/elsewhere"})

    kind = httpx.AsyncClient if harness.asynchronous else httpx.Client
    given = kind(transport=httpx.MockTransport(answer), follow_redirects=True)
    client = harness.client(stub.url, http_client=given)
    with pytest.raises(countersign.APIConnectionError, match="with a redirect"):
        client.confirmations.get(CONFIRMATION_ID)
    assert asked == [f"{stub.url}/confirmations/{CONFIRMATION_ID}"]
    other: Any = httpx.Client if harness.asynchronous else httpx.AsyncClient
    for wrong in (other(), "client"):
        with pytest.raises(ValueError):
            harness.client(stub.url, http_client=wrong)


def test_async_client_works_in_one_event_loop_after_the_other(stub: Stub) -> None:
    client = countersign.AsyncCountersign(url=stub.url, api_key="cs_live_secret", webhook_keys="published")
    key = SigningKey()
    body = event()

    async def do_nothing() -> None: ...

    async def use() -> None:
        stub.script = [CONFIRMATION]
        assert (await client.confirmations.get(CONFIRMATION_ID)).confirmation_id == CONFIRMATION_ID
        stub.routes["/.well-known/jwks.json"] = Answer(body={"keys": [key.jwk]})
        await client.store.remember(CONFIRMATION_ID, 60, do_nothing)
        handler = countersign.handlers.AsyncWebhookHandler(client, on_verified=pause)
        # Together, so that they wait for each other.
        replies = await asyncio.gather(*(handler("POST", key.headers(body), body) for _ in range(3)))
        assert {reply.status for reply in replies} == {200}
        await client.aclose()

    async def pause(_event: object) -> None:
        await asyncio.sleep(0)  # sleep: lets the others wait for this one

    for _ in range(3):
        asyncio.run(use())


def test_async_client_outlives_a_loop_that_was_not_closed(stub: Stub) -> None:
    client = countersign.AsyncCountersign(url=stub.url, api_key="cs_live_secret")

    async def use() -> None:
        stub.script = [Answer(body=CONFIRMATION.body, headers={"connection": "close"})]
        await client.confirmations.get(CONFIRMATION_ID)

    for _ in range(3):
        asyncio.run(use())
    asyncio.run(client.aclose())


def test_errors_of_the_network_name_the_address(harness: Harness) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        client = harness.client(url, max_retries=0)
        with pytest.raises(countersign.APIConnectionError) as raised:
            client.confirmations.get(CONFIRMATION_ID)
        assert str(raised.value) == f"the service at {url} did not answer: ConnectError"
        body, key = event(), SigningKey()
        with pytest.raises(countersign.KeysUnavailableError, match=f"the service at {url} did not answer"):
            client.webhooks.verify(body, key.headers(body))


def test_page_gives_the_cursor_of_the_next(client: Any, stub: Stub) -> None:
    stub.script = [
        Answer(body={"confirmations": [CONFIRMATION.body], "nextCursor": "a/b"}),
        Answer(body={"confirmations": []}),
    ]
    page = client.confirmations.page(limit=1)
    assert [one.confirmation_id for one in page.confirmations] == [CONFIRMATION_ID]
    assert page.next_cursor == "a/b"
    assert client.confirmations.page(cursor=page.next_cursor).next_cursor is None
    assert stub.asked[1].path == "/confirmations?cursor=a%2Fb"


def test_errors_hold_no_secrets(harness: Harness, client: Any, stub: Stub) -> None:
    secrets = ["cs_live_secret", "t0ken", "+12025550100", "CS-7Q2M0XK4V9T1BHNE", "idem-key", "key\n"]
    number = secrets[2]
    stub.script = [problem(422, "x", detail=f"{number} is no number")]
    stub.script += [Answer(200, "CS-7Q2M0XK4V9T1BHNE"), Answer(200, "t0ken"), *[Answer(lost=True)] * 3]
    calls = [
        lambda: client.confirmations.confirm(phone_number=number, idempotency_key="idem-key"),
        lambda: client.confirmations.acquire(),
        lambda: client.logins.create(browser_token="t0ken", origin="https://shop.example"),
        lambda: client.confirmations.confirm(phone_number=number),
        lambda: client.logins.create(browser_token="t0ken\n", origin="https://shop.example"),
        lambda: client.confirmations.acquire(idempotency_key="idem-key\n"),
        lambda: harness.client(stub.url, api_key="cs_live_secret\n"),
    ]
    for call in calls:
        with pytest.raises(Exception) as raised:
            call()
        # With all causes, but without the source lines that a traceback quotes.
        told = "".join(
            text
            for error in _chain(raised.value)
            for text in traceback.format_exception_only(type(error), error)
        )
        assert not [secret for secret in secrets if secret in told], told


def _chain(error: BaseException | None) -> list[BaseException]:
    return [error, *_chain(error.__cause__ or error.__context__)] if error else []


def test_tokens_that_are_none_send_nothing(client: Any, stub: Stub) -> None:
    for token in (None, "", "line\nfeed", UNSET):
        with pytest.raises(ValueError):
            client.logins.create(browser_token=token, origin="https://shop.example")
    assert stub.asked == []
