"""Tests of delivery: attempts, retries, redelivery."""

import base64
import hmac
import time

from conftest import APP


def test_failed_attempts_are_retried_with_the_same_webhook(deployment, service, receiver):
    url = receiver.new_url(500, 503)
    session = service.acquire(url)
    service.text(session)
    webhooks = receiver.wait_for(url, 3)
    # Every attempt sends the same id and the same body.
    assert len({webhook.headers["webhook-id"] for webhook in webhooks}) == 1
    assert len({webhook.body for webhook in webhooks}) == 1
    for webhook in webhooks:
        service.verify(webhook)
    assert webhooks[1].at - webhooks[0].at >= 2
    assert webhooks[2].at - webhooks[1].at >= 5
    attempts = service.until_delivered(session)["delivery"]["attempts"]
    assert [attempt["outcome"] for attempt in attempts] == ["failed", "failed", "succeeded"]
    assert "due_at" not in deployment.confirmation(session["confirmationId"])


def test_gone_ends_the_delivery(deployment, service, receiver):
    url = receiver.new_url(410)
    session = service.acquire(url)
    service.text(session)
    receiver.wait_for(url)
    state = service.until_attempted(session, 1)
    assert state["delivery"]["status"] == "failed"
    assert "due_at" not in deployment.confirmation(session["confirmationId"])


def test_redelivery_sends_the_same_webhook(service, receiver):
    url = receiver.new_url()
    session = service.acquire(url)
    service.text(session)
    service.until_delivered(session)
    again = service.call("POST", f"/confirmations/{session['confirmationId']}/redeliver")
    assert again.status in (200, 202), again.body
    first, second = receiver.wait_for(url, 2)
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
    service.verify(second)


def test_delivery_that_is_due_later_is_in_the_due_index(deployment, service, receiver):
    url = receiver.new_url(500)
    session = service.acquire(url)
    began = time.time() * 1000
    with deployment.without_reader("Retries"):
        service.text(session)
        service.until_attempted(session, 1)
        item = deployment.confirmation(session["confirmationId"])
        found = deployment.client("dynamodb").query(
            TableName=deployment.table,
            IndexName="due",
            KeyConditionExpression="due_shard = :shard",
            ExpressionAttributeValues={":shard": item["due_shard"]},
        )["Items"]
    assert int(item["due_at"]["N"]) > began
    ours, = (entry for entry in found if entry["pk"] == item["pk"])
    # The index contains only keys.
    assert set(ours) == {"pk", "sk", "due_shard", "due_at"}
    receiver.wait_for(url, 2)
    service.until_delivered(session)


def signature(secret, webhook):
    """Returns the webhook's signature as the Standard Webhooks scheme has it."""
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    signed = b".".join(
        [webhook.headers["webhook-id"].encode(), webhook.headers["webhook-timestamp"].encode(), webhook.body]
    )
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def test_secrets_of_an_app_sign_its_webhooks(administration, deployment, service, receiver):
    def next_webhook():
        url = receiver.new_url()
        service.text(service.acquire(url))
        return receiver.wait_for(url)[0]

    secret, = administration.webhook_secrets(APP)
    webhook = next_webhook()
    assert webhook.headers["webhook-signature"] == signature(secret, webhook)
    both = administration.webhook_secrets(APP, "--rotate")
    assert both[1] == secret
    # Instead of waiting for a minute.
    deployment.restart("dispatcher")
    webhook = next_webhook()
    assert webhook.headers["webhook-signature"].split() == [signature(one, webhook) for one in both]
    assert administration.webhook_secrets(APP, "--retire") == both[:1]
