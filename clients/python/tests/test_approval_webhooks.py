"""Webhooks about approvals: their result is the same as `approvals.result`, and comes once."""

from typing import Any

import pytest

from countersign import AlreadyReported, Approved, CountersignError, Denied, RecordMissingError
from support.approvals import CONTEXT, USER, ApprovalStub, start
from support.harness import Harness
from support.phone import ORIGIN, Phone
from support.signing import SigningKey, login_event
from support.stub import Answer, Stub, problem

ZOE = Phone(7)
JWKS = "/.well-known/jwks.json"


class Failure(Exception):
    pass


class Shop:
    """A server whose webhooks come here, with what it acted on."""

    def __init__(self, harness: Harness, stub: Stub) -> None:
        self.key = SigningKey()
        stub.routes[JWKS] = Answer(body={"keys": [self.key.jwk]})
        self.harness = harness
        self.client = harness.client(stub.url)
        self.service = ApprovalStub(harness.world, stub)
        self.service.register(ZOE)
        self.approvals: list[Any] = []
        self.logins: list[Any] = []
        self.failures: list[Exception] = []

    def _act(self, result: Any) -> None:
        if self.failures:
            raise self.failures.pop()
        self.approvals.append(result)

    def handler(self, **more: Any) -> Any:
        on_approval = self.harness.callback(self._act)
        return self.harness.webhook_handler(self.client, **{"on_approval": on_approval, **more})

    def with_logins(self) -> Any:
        return self.handler(on_login=self.harness.callback(self.logins.append))

    def post(self, handler: Any, id: str | None = None) -> tuple[int, str]:
        body = login_event(sessionId=id or self.service.id)
        reply = handler("POST", self.key.headers(body), body)
        return reply.status, reply.body


@pytest.fixture
def shop(harness: Harness, stub: Stub) -> Shop:
    return Shop(harness, stub)


def approved(id: str) -> Approved:
    return Approved(id=id, user_id=USER, key_id=ZOE.key_id, context=CONTEXT, origin=ORIGIN)


def test_approval_whose_page_was_closed_is_not_lost(shop: Shop) -> None:
    id = start(shop.client).id
    shop.service.confirm(ZOE)
    handler = shop.handler()
    assert shop.post(handler) == (200, "accepted")
    assert shop.post(handler) == (200, "already accepted")
    assert shop.approvals == [approved(id)]
    assert shop.client.approvals.result(id) == AlreadyReported(id=id)


def test_webhook_of_a_result_that_was_read_is_accepted_before(shop: Shop) -> None:
    id = start(shop.client).id
    shop.service.confirm(ZOE)
    assert shop.client.approvals.result(id) == approved(id)
    assert shop.post(shop.handler()) == (200, "already accepted")
    assert shop.approvals == []


def test_denial_is_reported(shop: Shop) -> None:
    id = start(shop.client).id
    shop.service.state = "denied"
    assert shop.post(shop.handler()) == (200, "accepted")
    assert shop.approvals == [Denied(id=id, reason="denied")]


def test_proof_counts_and_not_the_webhook(shop: Shop) -> None:
    id = start(shop.client).id
    shop.service.confirm(Phone(8, user="mallory"))
    assert shop.post(shop.handler()) == (200, "accepted")
    assert shop.approvals == [Denied(id=id, reason="unverified")]


def test_keys_of_the_callers_table_count(shop: Shop) -> None:
    id = start(shop.client).id
    shop.service.keys.clear()
    shop.service.confirm(ZOE)
    find_key = shop.harness.callback({ZOE.key_id: ZOE.known}.get)
    assert shop.post(shop.handler(find_key=find_key)) == (200, "accepted")
    assert shop.approvals == [approved(id)]


def test_webhook_comes_again_until_the_digits_are_typed(shop: Shop) -> None:
    id = start(shop.client).id
    shop.service.more = {"checkCodeRequired": True}
    shop.service.confirm(ZOE)
    handler = shop.handler()
    assert shop.post(handler) == (503, "not decided yet")
    shop.service.state = "consumed"
    assert shop.post(handler) == (200, "accepted")
    assert shop.approvals == [approved(id)]


def test_webhook_comes_again_until_the_record_is_there(shop: Shop) -> None:
    id = start(shop.client).id
    shop.service.confirm(ZOE)
    handler = shop.handler()
    shop.failures = [RecordMissingError(id)]
    assert shop.post(handler) == (503, "record missing")
    shop.failures = [Failure()]
    assert shop.post(handler) == (500, "internal error")
    assert shop.post(handler) == (200, "accepted")
    assert shop.approvals == [approved(id)]


def test_webhook_comes_again_if_the_service_does_not_answer(shop: Shop, stub: Stub) -> None:
    start(shop.client)
    shop.service.confirm(ZOE)
    handler = shop.handler()
    shop.post(handler, "qrs_" + "ab" * 16)  # Fetches the keys of webhooks.
    stub.script = [problem(401, "api_key_unknown")]
    assert shop.post(handler) == (500, "cannot verify just now")
    assert shop.post(handler) == (200, "accepted")


def test_unknown_approvals_and_logins(shop: Shop, harness: Harness, stub: Stub) -> None:
    handler = shop.handler()
    assert shop.post(handler, "qrs_" + "ab" * 16) == (500, "cannot verify just now")
    stub.routes["/qr-sessions/qrs_" + "ab" * 16] = problem(404, "session_not_found")
    assert shop.post(handler, "qrs_" + "ab" * 16) == (404, "unknown approval")
    start(harness.client(stub.url))
    shop.service.confirm(ZOE)
    assert shop.post(handler) == (404, "unknown approval")
    shop.service.more = {"expectedPublicUserId": None}
    assert shop.post(handler) == (404, "unknown approval")
    assert shop.approvals == []


def test_logins_are_told_apart_without_a_request(shop: Shop, stub: Stub) -> None:
    handler = shop.with_logins()
    stub.script = [Answer(body={"sessionId": "qrs_" + "cd" * 16})]
    shop.client.logins.create(browser_token="token", origin=ORIGIN)
    assert shop.post(handler, "qrs_" + "cd" * 16) == (200, "accepted")
    assert shop.post(handler, "qrs_" + "cd" * 16) == (200, "already accepted")
    assert stub.asked_for("/qr-sessions/qrs_" + "cd" * 16) == []
    assert [login.session_id for login in shop.logins] == ["qrs_" + "cd" * 16]
    id = start(shop.client).id
    shop.service.confirm(ZOE)
    assert shop.post(handler) == (200, "accepted")
    assert shop.approvals == [approved(id)]
    assert len(shop.logins) == 1


def test_handler_of_only_logins_does_not_know_approvals(shop: Shop) -> None:
    start(shop.client)
    shop.service.confirm(ZOE)
    on_login = shop.harness.callback(shop.logins.append)
    handler = shop.harness.webhook_handler(shop.client, on_login=on_login)
    assert shop.post(handler) == (404, "unknown login")
    assert shop.logins == []


@pytest.mark.parametrize(
    "options",
    [
        {"on_approval": None},
        {"on_approval": "callback"},
        {"on_approval": lambda: None},
        {"on_approval": lambda result: None, "find_key": None},
        {"on_approval": lambda result: None, "find_key": lambda: None},
        {"on_verified": lambda event: None, "find_key": lambda key_id: None},
        {"find_key": lambda key_id: None},
    ],
)
def test_wrong_callbacks_are_refused_when_the_handler_is_mounted(
    harness: Harness, stub: Stub, options: dict[str, Any]
) -> None:
    with pytest.raises(ValueError):
        harness.webhook_handler(harness.client(stub.url), **options)


def test_app_key_is_needed_for_approvals(harness: Harness, stub: Stub) -> None:
    client = harness.plain(stub.url, webhook_keys="published")
    with pytest.raises(CountersignError, match="app_key"):
        harness.webhook_handler(client, on_approval=lambda result: None)
