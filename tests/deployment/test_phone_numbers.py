"""Tests of confirmations, and of the texts that verify them or do not."""

import contextlib
import uuid

import waiting
from deployment import confirmation_key
from http_api import lasting
from logins import CHANGED
from service import OTHER_PHONE, PHONE, SENDER
from watch import Watch


def test_acquisition_ends_in_a_signed_webhook(service, receiver):
    url = receiver.new_url()
    session = service.acquire(url, {"order": 7})
    assert session["sendTo"] == SENDER
    service.text(session)
    webhook, = receiver.wait_for(url)
    body = service.verify(webhook)
    assert body == {
        "carrier": "",
        "confirmationId": session["confirmationId"],
        "metadata": {"order": 7},
        "phoneNumber": PHONE,
        "timestamp": body["timestamp"],
        "validationStatus": "valid",
    }
    key, = service.call("GET", "/.well-known/jwks.json").json()["keys"]
    assert webhook.headers["x-signature-key-id"] == key["kid"]
    assert service.until_delivered(session)["status"] == "verified"


def test_text_from_an_http_provider_verifies(service, receiver):
    url = receiver.new_url()
    session = service.acquire(url)
    answer = service.text_over_http(session, carrier="Example Wireless")
    assert (answer.status, answer.json()) == (200, {"received": True})
    webhook, = receiver.wait_for(url)
    assert service.verify(webhook)["carrier"] == "Example Wireless"


def test_text_signed_with_another_secret_is_refused(service, receiver):
    session = service.acquire(receiver.new_url())
    answer = service.text_over_http(session, secret="whsec_" + "A" * 44)
    assert (answer.status, answer.json()["code"]) == (401, "inbound_not_authentic")
    assert service.state(session)["status"] == "open"


def test_confirmation_ignores_texts_from_other_numbers(deployment, service, receiver):
    url = receiver.new_url()
    session = service.confirm("+1 (202) 555-0143", url)
    assert service.text_over_http(session, sender=OTHER_PHONE).status == 200
    state = service.state(session)
    assert (state["status"], state["lastMiss"]["reason"]) == ("open", "wrong_sender")
    assert OTHER_PHONE not in str(deployment.confirmation(session["confirmationId"]))
    assert service.text_over_http(session).status == 200
    webhook, = receiver.wait_for(url)
    assert service.verify(webhook)["phoneNumber"] == PHONE


def test_repeated_text_counts_once(deployment, service, receiver):
    url = receiver.new_url()
    session, message_id = service.acquire(url), str(uuid.uuid4())
    service.text(session, message_id=message_id)
    service.until_delivered(session)
    with until_counted(deployment, "text_repeated"):
        service.text(session, message_id=message_id)
    assert len(receiver.received(url)) == 1
    assert len(service.state(session)["delivery"]["attempts"]) == 1


def test_used_code_is_refused_from_another_phone(deployment, service, receiver):
    url = receiver.new_url()
    session = service.acquire(url)
    service.text(session)
    service.until_delivered(session)
    with until_counted(deployment, "miss_already_used"):
        service.text(session, sender=OTHER_PHONE)
    assert service.state(session)["result"]["phoneNumber"] == PHONE
    assert len(receiver.received(url)) == 1


def test_text_to_an_expired_confirmation_is_recorded_as_late(deployment, service, receiver):
    session = service.acquire(receiver.new_url())
    deployment.expire(confirmation_key(session["confirmationId"]))
    assert service.state(session)["status"] == "expired"
    item = deployment.confirmation(session["confirmationId"])
    assert service.text_over_http(session).status == 200
    state = service.state(session)
    assert (state["status"], state["lastMiss"]["reason"]) == ("expired", "late")
    assert deployment.confirmation(session["confirmationId"])["ttl"] == item["ttl"]


def test_text_to_a_cancelled_confirmation_changes_nothing(service, receiver):
    session = service.acquire(receiver.new_url())
    path = f"/confirmations/{session['confirmationId']}"
    assert service.call("DELETE", path).status in (200, 204)
    assert service.text_over_http(session).status == 200
    assert service.state(session)["status"] == "cancelled"


def test_verification_extends_the_ttl_of_an_item(deployment, service, receiver):
    url = receiver.new_url()
    session = service.acquire(url)
    item = deployment.confirmation(session["confirmationId"])
    opened = int(item["ttl"]["N"])
    assert opened * 1000 >= int(item["expires"]["N"])
    service.text(session)
    service.until_delivered(session)
    item = deployment.confirmation(session["confirmationId"])
    # A verified confirmation is kept for a week.
    assert int(item["ttl"]["N"]) >= opened + 6 * 24 * 3600
    assert "due_at" not in item


def test_page_hears_of_the_verification_once_the_server_has(deployment, service, receiver):
    url = receiver.new_url()
    session = service.acquire(url, clientChannel=True)
    watch = Watch(deployment)
    watch.subscribe_to_confirmation(session)
    assert watch.next() == CHANGED
    assert service.as_page(session).json()["status"] == "open"
    service.text(session)
    assert watch.next() == CHANGED
    assert len(receiver.received(url)) == 1
    answer = service.as_page(session)
    assert answer.json()["status"] == "verified"
    assert answer.headers["access-control-allow-origin"] == "https://shop.example"
    assert PHONE.encode() not in answer.body
    watch.close()


def test_repeated_idempotency_key_returns_the_same_confirmation(service, receiver):
    body, key = {"callbackUrl": receiver.new_url()}, {"Idempotency-Key": uuid.uuid4().hex}
    first, again = (service.call("POST", "/acquire-phone-number", body, key) for _ in range(2))
    assert (first.status, again.status) == (200, 200)
    assert lasting(first) == lasting(again)


@contextlib.contextmanager
def until_counted(deployment, event):
    """Waits at the end of a block until the function for texts by SNS has counted the event again."""
    before = deployment.counted("inbound-sns", event)
    yield
    waiting.until(event, lambda: deployment.counted("inbound-sns", event) > before)


def test_confirmations_are_listed_newest_first(service, receiver):
    started = [service.acquire(receiver.new_url())["confirmationId"] for _ in range(3)]

    def listed():
        page = service.call("GET", "/confirmations?limit=3").json()
        return [item["confirmationId"] for item in page["confirmations"]] == started[::-1]

    # The index follows the table.
    waiting.until("the list", listed)
    assert service.call("GET", "/confirmations?status=open&limit=2").json()["nextCursor"]
