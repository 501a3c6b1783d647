"""Approvals with the real service, in both kinds of clients, decided by test phones."""

import secrets
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from countersign import Approved, UnknownApprovalError
from support.harness import Harness
from support.receiver import Receiver
from support.service import RealService

CONTEXT = "Pay 20 EUR to Zoë"


@pytest.fixture
def client(harness: Harness, service: RealService) -> Any:
    keys = {"api_key": service.test_key, "app_key": service.app_key}
    return harness.client(service.url, real_time=True, **keys)


@pytest.fixture
def phone(harness: Harness, client: Any) -> Any:
    return harness.phone(client, user_id="zoe")


def start(client: Any, service: RealService) -> Any:
    return client.approvals.start(origin=service.url, context=CONTEXT, user_id="zoe")


def opened_by(harness: Harness, phone: Any, started: Any) -> Any:
    return harness.wrap(phone.open(started.session["url"]))


def known(harness: Harness, phone: Any) -> Any:
    return harness.callback({phone.key_id: phone.known_key}.get)


def test_approval_of_a_table_of_keys(harness: Harness, client: Any, service: RealService, phone: Any) -> None:
    started = start(client, service)
    assert client.approvals.result(started.id).status == "pending"
    opened = opened_by(harness, phone, started)
    assert (opened.origin, opened.context) == (service.url, CONTEXT)
    opened.confirm()
    find_key = known(harness, phone)
    assert client.approvals.result(started.id, find_key=find_key) == Approved(
        id=started.id, user_id="zoe", key_id=phone.key_id, context=CONTEXT, origin=service.url
    )
    assert client.approvals.result(started.id, find_key=find_key).status == "already_reported"


def test_approval_of_a_page_that_was_closed(
    harness: Harness, client: Any, service: RealService, phone: Any, receiver: Receiver
) -> None:
    service.run("app", "update", "demo", "--login-callback", receiver.url)
    results: list[Any] = []
    receiver.handler = harness.webhook_handler(
        client, on_approval=harness.callback(results.append), find_key=known(harness, phone)
    )
    started = start(client, service)
    opened_by(harness, phone, started).confirm()
    assert receiver.next() == (200, "accepted")
    assert [(result.id, result.status) for result in results] == [(started.id, "approved")]
    assert client.approvals.result(started.id, find_key=known(harness, phone)).status == "already_reported"
    denied = start(client, service)
    opened_by(harness, phone, denied).deny("not me")
    assert receiver.next() == (200, "accepted")
    assert (results[1].id, results[1].reason) == (denied.id, "denied")
    service.run("app", "update", "demo", "--no-login-callback")


@pytest.fixture
def digits(service: RealService) -> Iterator[None]:
    service.run("app", "update", "demo", "--check-code", "on")
    yield
    service.run("app", "update", "demo", "--check-code", "off")


def test_digits_are_typed_at_the_page(
    harness: Harness, client: Any, service: RealService, phone: Any, digits: None
) -> None:
    started = start(client, service)
    assert started.session["checkCodeRequired"] is True
    opened = opened_by(harness, phone, started)
    opened.confirm()
    find_key = known(harness, phone)
    assert client.approvals.result(started.id, find_key=find_key).status == "pending"

    def type_at_the_page(code: str) -> int:
        url = f"{service.url}/qr-sessions/{started.id}/check-code"
        headers = {"authorization": f"Bearer {started.session['token']}"}
        return httpx.post(url, headers=headers, json={"checkCode": code}).status_code

    wrong = f"{(int(opened.check_code) + 1) % 100:02}"
    assert type_at_the_page(wrong) == 403
    assert client.approvals.result(started.id, find_key=find_key).status == "pending"
    assert type_at_the_page(opened.check_code) == 204
    assert client.approvals.result(started.id, find_key=find_key).status == "approved"


def test_approval_of_another_server_is_unknown(
    harness: Harness, client: Any, service: RealService, phone: Any
) -> None:
    started = start(client, service)
    opened_by(harness, phone, started).confirm()
    keys = {"api_key": service.test_key, "app_key": service.app_key}
    other = harness.client(service.url, real_time=True, **keys)
    with pytest.raises(UnknownApprovalError):
        other.approvals.result(started.id, find_key=known(harness, phone))


def test_approval_by_a_registered_key_of_a_live_phone(
    harness: Harness, service: RealService, client: Any
) -> None:
    user = secrets.token_hex(8)
    keys = {"api_key": service.api_key, "app_key": service.app_key}
    live = harness.client(service.url, real_time=True, **keys)
    words = ("keys", "create", "--public-user-id", user, "--app-key", service.app_key)
    created = service.phone(*words)
    live.association_keys.register(
        public_user_id=user, public_key=created["publicKey"], signature=created["signature"]
    )
    started = live.approvals.start(origin=service.url, context=CONTEXT, user_id=user)
    confirm = ("--confirm", "--payload", "yes", "--public-user-id", user)
    service.phone("open", started.session["url"], *confirm)
    result = live.approvals.result(started.id)
    assert (result.status, result.user_id, result.key_id) == ("approved", user, created["keyId"])


def test_registered_key_of_a_test_phone_counts(client: Any, harness: Harness, service: RealService) -> None:
    user = secrets.token_hex(8)
    phone = harness.phone(client, user_id=user)
    assert phone.register() == phone.key_id
    [key] = client.association_keys.list(public_user_id=user)
    assert (key.key_id, key.public_key) == (phone.key_id, phone.public_key)
    started = client.approvals.start(origin=service.url, context=CONTEXT, user_id=user)
    opened_by(harness, phone, started).confirm()
    assert client.approvals.result(started.id).user_id == user
    live = harness.client(service.url, real_time=True, api_key=service.api_key)
    assert list(live.association_keys.list(public_user_id=user)) == []
