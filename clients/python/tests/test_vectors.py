"""Behaviour that this library shares with the libraries in other languages: clients/vectors.json."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import countersign
from countersign import (
    KeysUnavailableError,
    KnownKey,
    LoginVerificationError,
    PhoneRefusedError,
    ProblemError,
    UnknownApprovalError,
    WebhookVerificationError,
)
from countersign import _identity as identity
from countersign import (
    _proofs,
    aws_lambda,
)
from countersign._clock import Clock
from countersign._json import camel, to_json
from countersign._links import is_link_of
from support.harness import Harness
from support.stub import Answer, Stub

VECTORS = json.loads((Path(__file__).parents[2] / "vectors.json").read_text(encoding="utf-8"))
ID = "cfm_1"


def cases(*path: str) -> Any:
    found = VECTORS
    for name in path:
        found = found[name]
    named = [(case, case.get("name") or str(next(iter(case.values()))) or "empty") for case in found]
    return pytest.mark.parametrize("case", [case for case, _ in named], ids=[name for _, name in named])


def snake(name: str) -> str:
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)


def options_of(given: dict[str, Any]) -> dict[str, Any]:
    return {snake(name): value for name, value in given.items()}


@cases("options")
def test_options(harness: Harness, case: dict[str, Any]) -> None:
    def create() -> Any:
        kind = countersign.AsyncCountersign if harness.asynchronous else countersign.Countersign
        options = {"url": "https://countersign.example", "api_key": "cs_live_secret"}
        return harness.keep(kind(**{**options, **options_of(case["set"])}))

    if case["ok"]:
        create()
        return
    with pytest.raises((TypeError, ValueError)) as raised:
        create()
    values = [value for one in case["set"].values() for value in (one if isinstance(one, list) else [one])]
    secrets = [value.strip() for value in values if isinstance(value, str) and len(value) > 9]
    assert not [secret for secret in secrets if secret in str(raised.value)]


@cases("urls")
def test_urls(harness: Harness, case: dict[str, Any]) -> None:
    for unencrypted, becomes in ((False, case["becomes"]), (True, case["becomesUnencrypted"])):
        if becomes is None:
            with pytest.raises(ValueError):
                harness.client(case["url"], allow_unencrypted_http=unencrypted)
        else:
            client = harness.client(case["url"], allow_unencrypted_http=unencrypted)
            assert harness.raw(client)._transport._base == becomes


@cases("mounts")
def test_mounts(harness: Harness, case: dict[str, Any]) -> None:
    callback = harness.callback(lambda *_: None)
    options: dict[str, Any] = {"onVerified": "callback"}
    if case["handler"] == "login":
        options = {"origin": "https://shop.example", "findKey": "callback", "onLogin": "callback"}
    options |= case["set"]
    named = {
        snake(name): callback if value == "callback" else value
        for name, value in options.items()
        if value != "absent"
    }
    client = harness.plain("https://countersign.example", **options_of(case["client"]))
    mount: Callable[..., Any] = getattr(harness, f"{case['handler']}_handler")
    if case["ok"]:
        mount(client, **named)
    else:
        with pytest.raises((TypeError, ValueError, countersign.CountersignError)):
            mount(client, **named)


CALLS: dict[str, Callable[..., Any]] = {
    "acquire": lambda client, **more: client.confirmations.acquire(**more),
    "acquireWithClient": lambda client, **more: client.confirmations.acquire(client_channel=True, **more),
    "confirm": lambda client, **more: client.confirmations.confirm(phone_number="+12025550100", **more),
    "get": lambda client, **more: client.confirmations.get(ID, **more),
    "redeliver": lambda client, **more: client.confirmations.redeliver(ID, **more),
    "page": lambda client, **more: client.confirmations.page(**more),
    "pageLogins": lambda client, **more: client.logins.page(**more),
    "createLogin": lambda client, **more: client.logins.create(
        browser_token="token", origin="https://shop.example", **more
    ),
    "cancelLogin": lambda client, **more: client.logins.cancel("qrs_1", **more),
    "registerKey": lambda client, **more: client.association_keys.register(
        public_user_id="zoe", public_key="MFkw", **more
    ),
    "listKeys": lambda client, **more: client.association_keys.list(public_user_id="zoe", **more),
    "revokeKey": lambda client, **more: client.association_keys.revoke("k1", **more),
    "createPhoneRegistration": lambda client, **more: client.phone_registrations.create(
        public_user_id="zoe", **more
    ),
    "getPhoneRegistration": lambda client, **more: client.phone_registrations.get("phr_1", **more),
    "cancelPhoneRegistration": lambda client, **more: client.phone_registrations.cancel("phr_1", **more),
}


def stubbed(answer: Any) -> Answer:
    if answer == "drop":
        return Answer(lost=True)
    body = answer.get("text", answer.get("body"))
    return Answer(answer["status"], "" if body is None else body, dict(answer["headers"]))


@cases("answers")
@pytest.mark.parametrize("place", ["client", "call"])
def test_answers(harness: Harness, stub: Stub, case: dict[str, Any], place: str) -> None:
    limits = options_of(case.get("options", {}))
    client = harness.client(stub.url, **(limits if place == "client" else {}))
    stub.script = [stubbed(answer) for answer in case["answers"]]

    def call() -> Any:
        return CALLS[case["call"]](client, **(limits if place == "call" else {}))

    if "error" in case:
        kind = ProblemError if case["error"].get("type") == "problem" else countersign.APIConnectionError
        with pytest.raises(kind) as raised:
            call()
        assert raised.value.retry_after == case["error"].get("retryAfter")
        for member, value in case["error"].items():
            assert member == "type" or getattr(raised.value, snake(member)) == value
    else:
        answer = call()
        for member, value in case["ok"].items():
            assert getattr(answer, snake(member)) == value
    assert len(stub.asked) == case["requests"]
    assert harness.world.waits == case["waits"]


@cases("webhooks")
def test_webhooks(harness: Harness, stub: Stub, case: dict[str, Any]) -> None:
    client = harness.client(stub.url, webhook_secret=case["secrets"])
    stub.routes["/.well-known/jwks.json"] = Answer(body={"keys": []}, headers={"date": VECTORS["date"]})
    if "reason" in case:
        with pytest.raises(WebhookVerificationError) as raised:
            client.webhooks.verify(case["body"].encode(), case["headers"])
        assert raised.value.reason == case["reason"]
    else:
        event = client.webhooks.verify(case["body"].encode(), case["headers"])
        member = "registrationId" if "registrationId" in case else "confirmationId"
        assert getattr(event, snake(member)) == case[member]


@cases("keySets", "sequences")
def test_published_keys(harness: Harness, stub: Stub, case: dict[str, Any]) -> None:
    client = harness.client(stub.url, webhook_keys="published")
    for step in case["steps"]:
        harness.world.advance(step["advance"])
        stub.script = [stubbed(step["jwks"])] if "jwks" in step else []
        try:
            client.webhooks.verify(VECTORS["keySets"]["body"].encode(), step["headers"])
            outcome = "accepted"
        except KeysUnavailableError:
            outcome = "unavailable"
        except WebhookVerificationError as error:
            outcome = error.reason
        assert outcome == step["expect"]
        if "fetches" in step:
            assert len(stub.asked) == step["fetches"]


@cases("clocks")
def test_clocks(harness: Harness, case: dict[str, Any]) -> None:
    client = harness.raw(harness.client("https://countersign.example"))
    clock = Clock(client._seam)
    clock.learn(dict(case["headers"]), case["body"])
    assert clock.known == (case["time"] is not None)
    if clock.known:
        assert clock.now() == case["time"]


@cases("lambda", "events")
def test_lambda(stub: Stub, case: dict[str, Any]) -> None:
    harness = Harness("sync")
    client = harness.client(stub.url, webhook_secret=VECTORS["lambda"]["secret"])
    stub.routes["/.well-known/jwks.json"] = Answer(body={"keys": []}, headers={"date": VECTORS["date"]})
    client.store.remember(VECTORS["lambda"]["confirmationId"], 60, lambda: None)
    answer = aws_lambda.webhook(client, on_verified=lambda _: None)(case["event"], None)
    assert (answer["statusCode"], answer["body"]) == (case["status"], case["text"])
    assert answer["headers"]["cache-control"] == "no-store"
    if case["multiValueHeaders"]:
        assert answer["multiValueHeaders"]["cache-control"] == ["no-store"]
    harness.close()


APP_KEY = "cs_app_0123456789abcdefABCDEF"
SESSION_ID = "qrs_" + "ab" * 16


@cases("logins", "sessionIds")
def test_session_ids(case: dict[str, Any]) -> None:
    key = identity.from_base64url(case["browserPublicKey"])
    found = identity.session_id(case["appKey"], case["origin"], case["context"] or "", key)
    assert found == case["sessionId"]


@cases("logins", "pageTokens")
def test_page_tokens(case: dict[str, Any]) -> None:
    assert identity.page_token(case["browserToken"]) == case["pageToken"]


@cases("logins", "links")
def test_links(case: dict[str, Any]) -> None:
    link = (case["link"] or "").format(id=SESSION_ID)
    assert is_link_of(link, SESSION_ID) == case["ok"]


@cases("approvals", "tokens")
def test_approval_tokens(case: dict[str, Any]) -> None:
    token = identity.approval_token(case["apiKey"], identity.from_base64url(case["browserPublicKey"]))
    assert (token, identity.page_token(token)) == (case["browserToken"], case["pageToken"])


@cases("approvals", "records")
def test_approval_records(case: dict[str, Any]) -> None:
    assert identity.approval_id(case["sessionId"], case["userId"]) == case["id"]


def found_key(harness: Harness, keys: list[dict[str, str]]) -> Callable[[str], Any]:
    known = {
        key["keyId"]: KnownKey(
            key["publicKey"], key["userId"], key.get("kind", "app"), key.get("rpId"), key.get("origin")
        )
        for key in keys
    }
    return harness.callback(known.get)


ERRORS: dict[str, type[Exception]] = {
    "problem": ProblemError,
    "connection": countersign.APIConnectionError,
    "unknown_approval": UnknownApprovalError,
}


@cases("approvals", "results")
def test_approval_results(harness: Harness, stub: Stub, case: dict[str, Any]) -> None:
    client = harness.client(stub.url, app_key=APP_KEY)
    if case["remembered"] is not None:
        record = identity.approval_id(case["session"], case["remembered"])
        harness.wrap(harness.raw(client).store).remember(record, 60, harness.callback(lambda: None))
    find_key = None if case["keys"] is None else found_key(harness, case["keys"])

    def result() -> Any:
        stub.script = [stubbed(answer) for answer in case["answers"]]
        return client.approvals.result(case["session"], find_key=find_key)

    if "error" in case:
        with pytest.raises(ERRORS[case["error"]]):
            result()
        assert len(stub.asked) == case["requests"]
        return
    for expected in ("result", "again"):
        stub.asked.clear()
        assert to_json(result()) == case[expected]
        assert len(stub.asked) == case["requests"]


@cases("approvals", "webhooks")
def test_approval_webhooks(harness: Harness, stub: Stub, case: dict[str, Any]) -> None:
    secret = VECTORS["approvals"]["webhookSecret"]
    client = harness.client(stub.url, app_key=APP_KEY, webhook_secret=secret)
    stub.routes["/.well-known/jwks.json"] = Answer(body={"keys": []}, headers={"date": VECTORS["date"]})
    if case["remembered"] is not None:
        record = identity.approval_id(json.loads(case["body"])["sessionId"], case["remembered"])
        harness.wrap(harness.raw(client).store).remember(record, 60, harness.callback(lambda: None))
    decisions: list[Any] = []
    find_key = {} if case["keys"] is None else {"find_key": found_key(harness, case["keys"])}
    handler = harness.webhook_handler(client, on_approval=harness.callback(decisions.append), **find_key)
    for expected in (case, case["again"]):
        # The service's time is requested once, before the first webhook.
        first = [stub.routes["/.well-known/jwks.json"]] if expected is case else []
        stub.script = [*first, *map(stubbed, case["answers"])]
        reply = handler("POST", case["headers"], case["body"].encode())
        assert (reply.status, reply.body) == (expected["status"], expected["text"])
    assert [to_json(decision) for decision in decisions] == ([case["decision"]] if case["decision"] else [])


@cases("proofsWithoutPayload", "cases")
def test_proofs_without_payload(harness: Harness, stub: Stub, case: dict[str, Any]) -> None:
    proof_is_judged(harness, stub, VECTORS["proofsWithoutPayload"], case)


@cases("passkeys", "cases")
def test_proofs_by_passkeys(harness: Harness, stub: Stub, case: dict[str, Any]) -> None:
    proof_is_judged(harness, stub, VECTORS["passkeys"], case)


def proof_is_judged(harness: Harness, stub: Stub, section: dict[str, Any], case: dict[str, Any]) -> None:
    client = harness.client(stub.url, app_key=APP_KEY)
    stub.routes["/.well-known/jwks.json"] = Answer(body={"keys": []}, headers={"date": VECTORS["date"]})
    request = {
        **options_of(case["detail"]),
        "origin": section["origin"],
        "find_key": found_key(harness, section["keys"]),
        "context": case["context"],
        **({"opened_by_server": case["openedByServer"]} if "openedByServer" in case else {}),
    }
    if case["userId"] is None:
        with pytest.raises(LoginVerificationError):
            client.logins.verify(**request)
    else:
        assert client.logins.verify(**request).user_id == case["userId"]


@cases("phones")
def test_phones(harness: Harness, stub: Stub, case: dict[str, Any]) -> None:
    client = harness.client(stub.url, api_key="cs_test_secret", app_key=APP_KEY)
    phone = harness.phone(client, user_id="zoe@example.com")
    stub.script = [Answer(body=case.get("answer")), Answer(body=True)]
    plain = {"allow_unencrypted": case["allowPlain"]} if "allowPlain" in case else {}
    if case["reason"] is None:
        opened = phone.open(case["link"], **plain)
        assert (opened.origin, opened.context) == (case["answer"]["origin"], case["answer"].get("context"))
        assert opened.check_code == case["answer"].get("checkCode")
    else:
        with pytest.raises(PhoneRefusedError) as raised:
            phone.open(case["link"], **plain)
        assert raised.value.reason == case["reason"]
    told = [asked.json for asked in stub.asked if asked.path.endswith("/deny")]
    assert told == ([{"payload": "", "reason": "key_mismatch"}] if case["reports"] else [])


def test_names_fit() -> None:
    names = {name for case in VECTORS["options"] for name in case["set"]}
    assert {camel(snake(name)) for name in names} == names


@pytest.mark.parametrize(
    "page",
    [
        {"kind": "passkey"},
        {"kind": "passkey", "rp_id": "login.shop.example"},
        {"kind": "passkey", "origin": "https://login.shop.example"},
        {"kind": "chip"},
    ],
)
def test_key_without_its_page_is_the_servers_fault(page: dict[str, str]) -> None:
    section = VECTORS["passkeys"]
    detail = options_of(section["cases"][0]["detail"])
    presented = _proofs.present(detail, APP_KEY, section["origin"], None, opened_by_server=False)
    key = KnownKey(section["keys"][0]["publicKey"], "zoe@example.com", **page)
    with pytest.raises(ValueError, match="find_key returned"):
        presented.login(key, VECTORS["at"])
