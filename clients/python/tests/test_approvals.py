"""Approvals: what is sent, what the page gets, and what counts as a result."""

import unicodedata
from typing import Any

import pytest

from countersign import (
    AlreadyReported,
    APIConnectionError,
    Approved,
    CountersignError,
    Denied,
    Expired,
    Pending,
    ProblemError,
    UnknownApprovalError,
)
from countersign import _identity as identity
from support.approvals import CONTEXT, USER, ApprovalStub, iso, start
from support.harness import Harness
from support.phone import APP, ORIGIN, Phone, digest
from support.signing import base64url
from support.stub import Answer, Stub, problem

ZOE = Phone(7)
MALLORY = Phone(8, user="mallory")


class Failure(Exception):
    pass


@pytest.fixture
def service(harness: Harness, stub: Stub) -> ApprovalStub:
    service = ApprovalStub(harness.world, stub)
    service.register(ZOE)
    return service


def approved(id: str) -> Approved:
    return Approved(id=id, user_id=USER, key_id=ZOE.key_id, context=CONTEXT, origin=ORIGIN)


def test_page_gets_what_shows_and_watches_but_not_the_token(client: Any, service: ApprovalStub) -> None:
    started = start(client)
    now = service.world.time
    asked = service.opening_request
    sent = asked.json
    assert sorted(sent) == ["browserPublicKey", "context", "origin", "publicUserId"]
    assert (sent["context"], sent["origin"], sent["publicUserId"]) == (CONTEXT, ORIGIN, USER)
    token = asked.headers["authorization"].removeprefix("Bearer ")
    point = identity.from_base64url(sent["browserPublicKey"])
    assert token == identity.approval_token("cs_live_secret", point)
    assert started.session == {
        "sessionId": service.id,
        "url": f"https://login.shop.example?sessionId={service.id}",
        "token": identity.page_token(token),
        "socketUrl": "wss://countersign.example/socket",
        "expiresAt": iso(now + 60),
        "expiresIn": 60,
        "serverTime": iso(now),
    }
    assert (started.id, started.expires_in) == (service.id, 60)
    assert started.expires_at.timestamp() == now + 60
    assert token not in repr(started)


def test_each_approval_has_a_key_of_its_own(client: Any, service: ApprovalStub) -> None:
    assert start(client).id != start(client).id


def test_page_learns_of_check_codes(client: Any, service: ApprovalStub) -> None:
    service.opening = {"checkCodeRequired": True}
    assert start(client).session["checkCodeRequired"] is True


def test_context_is_normalised(client: Any, service: ApprovalStub) -> None:
    start(client, context=unicodedata.normalize("NFD", CONTEXT))
    assert service.opening_request.json["context"] == CONTEXT
    service.confirm(ZOE)
    assert client.approvals.result(service.id) == approved(service.id)


@pytest.mark.parametrize(
    "wrong",
    [
        {"sessionId": "qrs_" + "ab" * 16},
        {"sessionId": ...},
        {"url": "https://login.shop.example?sessionId=qrs_" + "ab" * 16},
        {"url": ...},
    ],
    ids=["another id", "no id", "link to another id", "no link"],
)
def test_answer_about_another_session_is_refused(
    client: Any, service: ApprovalStub, wrong: dict[str, Any]
) -> None:
    service.opening = wrong
    with pytest.raises(APIConnectionError):
        start(client)
    with pytest.raises(UnknownApprovalError):
        service.confirm(ZOE)
        client.approvals.result(service.id)


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "https://shop.example/"},
        {"origin": None},
        {"context": None},
        {"context": ""},
        {"context": 7},
        {"user_id": None},
        {"user_id": ""},
        {"user_id": 7},
        {"on_started": "record"},
        {"on_started": lambda: None},
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_sent(
    client: Any, stub: Stub, service: ApprovalStub, wrong: dict[str, Any]
) -> None:
    with pytest.raises(ValueError):
        start(client, **wrong)
    assert stub.asked == []


def test_app_key_is_needed(harness: Harness, stub: Stub, service: ApprovalStub) -> None:
    client = harness.plain(stub.url)
    with pytest.raises(CountersignError, match="app_key"):
        start(client)
    with pytest.raises(CountersignError, match="app_key"):
        client.approvals.result("qrs_" + "ab" * 16)
    assert stub.asked == []


def test_record_is_written_before_the_approval_can_be_shown(
    client: Any, harness: Harness, service: ApprovalStub
) -> None:
    records: list[Any] = []
    started = start(client, on_started=harness.callback(records.append))
    assert records == [started]

    def fail(_started: Any) -> None:
        raise Failure

    with pytest.raises(Failure):
        start(client, on_started=harness.callback(fail))
    service.confirm(ZOE)
    with pytest.raises(UnknownApprovalError):
        client.approvals.result(service.id)


def test_result_is_returned_once(client: Any, harness: Harness, service: ApprovalStub) -> None:
    id = start(client).id
    for service.state in ("created", "scanned"):
        assert client.approvals.result(id) == Pending(id=id, expires_in=42)
    service.confirm(ZOE)
    results: list[Any] = []
    assert client.approvals.result(id, on_result=harness.callback(results.append)) == approved(id)
    assert client.approvals.result(id, on_result=harness.callback(results.append)) == AlreadyReported(id=id)
    assert results == [approved(id)]
    assert [result.status for result in (Pending(id=id, expires_in=1), approved(id))] == [
        "pending",
        "approved",
    ]


def test_result_comes_again_if_its_record_cannot_be_written(
    client: Any, harness: Harness, service: ApprovalStub
) -> None:
    id = start(client).id
    service.confirm(ZOE)

    def fail(_result: Any) -> None:
        raise Failure

    with pytest.raises(Failure):
        client.approvals.result(id, on_result=harness.callback(fail))
    assert client.approvals.result(id) == approved(id)


def test_of_concurrent_calls_one_gets_the_result(
    client: Any, harness: Harness, service: ApprovalStub
) -> None:
    id = start(client).id
    service.confirm(ZOE)
    found = harness.together(client, [lambda raw: raw.approvals.result(id)] * 8)
    assert sorted(result.status for result in found) == ["already_reported"] * 7 + ["approved"]


@pytest.mark.parametrize(
    ("state", "status", "reason"),
    [
        ("denied", "denied", "denied"),
        ("blocked", "denied", "blocked"),
        ("expired", "expired", "expired"),
        ("cancelled", "expired", "cancelled"),
    ],
)
def test_other_decisions_are_returned_once(
    client: Any, service: ApprovalStub, state: str, status: str, reason: str
) -> None:
    id = start(client).id
    service.state = state
    result = client.approvals.result(id)
    assert (result.id, result.status, result.reason) == (id, status, reason)
    assert client.approvals.result(id) == AlreadyReported(id=id)


def test_digits_that_have_yet_to_be_typed_leave_it_pending(client: Any, service: ApprovalStub) -> None:
    id = start(client).id
    service.more = {"checkCodeRequired": True}
    service.confirm(ZOE)
    assert client.approvals.result(id) == Pending(id=id, expires_in=42)
    service.state = "consumed"
    assert client.approvals.result(id) == approved(id)


@pytest.mark.parametrize("member", [..., None, "false", 0])
def test_digits_that_may_be_awaited_decide_nothing(client: Any, service: ApprovalStub, member: Any) -> None:
    id = start(client).id
    service.confirm(ZOE)
    service.more = {"checkCodeRequired": member}
    with pytest.raises(APIConnectionError, match="checkCodeRequired"):
        client.approvals.result(id)
    service.more = {}
    assert client.approvals.result(id) == approved(id)


def test_forgotten_approval_has_expired(client: Any, service: ApprovalStub) -> None:
    id = start(client).id
    service.forget()
    assert client.approvals.result(id) == Expired(id=id, reason="expired")


def test_other_failures_of_the_service_use_up_nothing(client: Any, stub: Stub, service: ApprovalStub) -> None:
    id = start(client).id
    service.confirm(ZOE)
    for failure in (problem(404, "route_not_found"), problem(401, "api_key_unknown")):
        stub.script = [failure]
        with pytest.raises(ProblemError):
            client.approvals.result(id)
    service.keys[0].pop("publicKey")
    with pytest.raises(APIConnectionError, match="find_key"):
        client.approvals.result(id)
    service.keys.clear()
    service.register(ZOE)
    assert client.approvals.result(id) == approved(id)


def test_approval_of_another_server_is_unknown(
    client: Any, harness: Harness, stub: Stub, service: ApprovalStub
) -> None:
    id = start(client).id
    service.confirm(ZOE)
    other = harness.client(stub.url)
    with pytest.raises(UnknownApprovalError) as raised:
        other.approvals.result(id)
    assert raised.value.id == id
    assert client.approvals.result(id) == approved(id)


def test_approval_of_another_user_is_unknown(client: Any, service: ApprovalStub) -> None:
    id = start(client).id
    service.more = {"expectedPublicUserId": "mallory"}
    service.register(MALLORY)
    service.confirm(MALLORY)
    with pytest.raises(UnknownApprovalError):
        client.approvals.result(id)


@pytest.mark.parametrize("more", [{"expectedPublicUserId": None}, {"context": None}])
def test_login_that_is_no_approval_is_unknown(
    client: Any, service: ApprovalStub, more: dict[str, Any]
) -> None:
    id = start(client).id
    service.more = more
    service.confirm(ZOE)
    with pytest.raises(UnknownApprovalError):
        client.approvals.result(id)


OTHER_KEY = base64url(identity.point_of(ZOE._key.public_key()))


@pytest.mark.parametrize(
    "more",
    [
        {"context": "Pay 2 EUR to Zoë"},
        {"origin": "https://evil.example"},
        {"browserPublicKey": OTHER_KEY},
        {"browserPublicKey": "*"},
        {"browserPublicKey": None},
    ],
    ids=["context", "origin", "key", "malformed key", "no key"],
)
def test_answer_that_does_not_fit_the_id_is_refused(
    client: Any, service: ApprovalStub, more: dict[str, Any]
) -> None:
    id = start(client).id
    service.confirm(ZOE)
    service.more = more
    with pytest.raises(APIConnectionError):
        client.approvals.result(id)
    service.more = {}
    assert client.approvals.result(id) == approved(id)


@pytest.mark.parametrize(
    ("phone", "claims", "reason"),
    [
        (MALLORY, {}, "the key is unknown"),
        (ZOE, {"ctx": digest("ctx", b"Pay 2 EUR")}, "another context"),
        (ZOE, {"ctx": ...}, "not those of a proof"),
        (ZOE, {"aud": "https://evil.example"}, "InvalidAudienceError"),
        (ZOE, {"jti": "qrs_" + "ab" * 16}, "another session"),
        (ZOE, {"app": "cs_app_other"}, "another app"),
        (ZOE, {"act": "deny"}, "another action"),
        (ZOE, {"sub": "mallory"}, "another user"),
        (ZOE, {"pay": ...}, "not those of a proof"),
        (ZOE, {"pay": "x"}, "not those of a proof"),
        (ZOE, {"exp": 1_800_000_301}, "the lifetime"),
        (ZOE, {"iat": 1_799_999_600, "exp": 1_799_999_900}, "expired"),
        (ZOE, {"iat": 1_800_000_100, "exp": 1_800_000_400}, "from the future"),
    ],
)
def test_confirmation_that_is_not_this_users_is_unverified(
    client: Any,
    service: ApprovalStub,
    caplog: pytest.LogCaptureFixture,
    phone: Phone,
    claims: dict[str, Any],
    reason: str,
) -> None:
    id = start(client).id
    service.confirm(phone, **claims)
    assert client.approvals.result(id) == Denied(id=id, reason="unverified")
    assert reason in caplog.text
    assert client.approvals.result(id) == AlreadyReported(id=id)


@pytest.mark.parametrize("proof", [None, "", "a.b.c"])
def test_confirmation_without_a_proof_is_unverified(client: Any, service: ApprovalStub, proof: Any) -> None:
    id = start(client).id
    service.confirm(ZOE)
    service.more = {"proof": proof}
    assert client.approvals.result(id) == Denied(id=id, reason="unverified")


def test_proof_without_a_name_is_its_owners(client: Any, service: ApprovalStub) -> None:
    id = start(client).id
    service.confirm(ZOE, sub=...)
    assert client.approvals.result(id) == approved(id)


def test_result_is_read_after_the_proof_has_expired(client: Any, service: ApprovalStub) -> None:
    id = start(client).id
    service.confirm(ZOE)
    service.more = {"confirmedAt": iso(service.world.time)}
    service.world.advance(600)
    service.stub.time = service.world.time
    assert client.approvals.result(id) == approved(id)


def test_keys_of_the_callers_table_count_in_place_of_registered_ones(
    client: Any, harness: Harness, stub: Stub, service: ApprovalStub
) -> None:
    id = start(client).id
    service.keys.clear()
    service.confirm(ZOE)
    find_key = harness.callback({ZOE.key_id: ZOE.known}.get)
    assert client.approvals.result(id, find_key=find_key) == approved(id)
    assert stub.asked_for("/association-keys") == []


def test_key_of_another_user_of_the_callers_table_is_unverified(
    client: Any, harness: Harness, service: ApprovalStub, caplog: pytest.LogCaptureFixture
) -> None:
    id = start(client).id
    service.confirm(MALLORY, sub=...)
    find_key = harness.callback({MALLORY.key_id: MALLORY.known}.get)
    assert client.approvals.result(id, find_key=find_key) == Denied(id=id, reason="unverified")
    assert "another user" in caplog.text


def test_keys_are_listed_for_the_user(client: Any, stub: Stub, service: ApprovalStub) -> None:
    id = start(client).id
    service.confirm(ZOE)
    client.approvals.result(id)
    assert [asked.path for asked in stub.asked_for("/association-keys")] == [
        "/association-keys?publicUserId=zoe%40example.com"
    ]


@pytest.mark.parametrize("more", [{"state": "dancing"}, {"state": None}, {"expiresIn": None}])
def test_answer_that_says_too_little_uses_up_nothing(
    client: Any, service: ApprovalStub, more: dict[str, Any]
) -> None:
    id = start(client).id
    service.more = more
    with pytest.raises(APIConnectionError):
        client.approvals.result(id)
    service.more = {}
    service.confirm(ZOE)
    assert client.approvals.result(id) == approved(id)


def test_store_that_does_not_act_is_refused(harness: Harness, stub: Stub, service: ApprovalStub) -> None:
    class Hasty:
        def remember(self, _id: str, _ttl: int, act: Any) -> Any:
            return True

        def accept(self, _id: str, _act: Any) -> Any:
            return "accepted"

    client = harness.client(stub.url, store=Awaiting(Hasty()) if harness.asynchronous else Hasty())
    with pytest.raises(CountersignError, match="await it in remember"):
        start(client)
    service.confirm(ZOE)
    with pytest.raises(CountersignError, match="await it in accept"):
        client.approvals.result(service.id)


class Awaiting:
    def __init__(self, store: Any) -> None:
        self._store = store

    async def remember(self, *words: Any) -> Any:
        return self._store.remember(*words)

    async def accept(self, *words: Any) -> Any:
        return self._store.accept(*words)


def test_ids_fit_into_stores(client: Any, harness: Harness, stub: Stub, service: ApprovalStub) -> None:
    ids: list[str] = []

    class Listing:
        def remember(self, id: str, _ttl: int, act: Any) -> Any:
            ids.append(id)
            act()
            return True

        def accept(self, _id: str, _act: Any) -> Any:
            return "unknown"

    if harness.asynchronous:
        return
    started = start(harness.client(stub.url, store=Listing()))
    assert ids == [identity.approval_id(started.id, USER)]
    assert len(ids[0]) == 47


def test_answer_without_json_is_no_result(client: Any, stub: Stub, service: ApprovalStub) -> None:
    id = start(client).id
    stub.routes[f"/qr-sessions/{id}"] = Answer(body="<html>")
    with pytest.raises(APIConnectionError):
        client.approvals.result(id)


def test_app_key_is_part_of_the_id(harness: Harness, stub: Stub, service: ApprovalStub) -> None:
    client = harness.client(stub.url, app_key=APP + "2")
    with pytest.raises(APIConnectionError, match="another session"):
        start(client)
