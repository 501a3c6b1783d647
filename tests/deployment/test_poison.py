"""Tests of unreadable messages: they end in a queue for the operator and hold nothing up."""

import json

import pytest

import waiting


@pytest.mark.parametrize("queue", ["FirstAttempts", "Retries"])
def test_unreadable_pointer_ends_in_the_dead_letter_queue(deployment, queue):
    poison = json.dumps({"v": 1, "confirmationId": "nonsense", "queue": queue})
    # Without this a message comes back only after six times the dispatcher's timeout.
    with deployment.queue_attribute(queue, "VisibilityTimeout", "1"):
        deployment.client("sqs").send_message(
            QueueUrl=deployment.queue(queue), MessageBody=poison, MessageGroupId="poison"
        )
        dead = waiting.until("the poison", lambda: deployment.messages(f"{queue}Dead"))
    assert dead == [poison]
    assert deployment.messages(queue) == []


def test_poisoned_message_does_not_fail_its_batch(deployment, service, receiver):
    url = receiver.new_url()
    session = service.acquire(url)
    with deployment.queue_attribute("FirstAttempts", "VisibilityTimeout", "2"):
        with deployment.without_reader("FirstAttempts"):
            service.text(session)
            service.until_verified(session)
            deployment.client("sqs").send_message(
                QueueUrl=deployment.queue("FirstAttempts"), MessageBody="{", MessageGroupId="poison"
            )
        receiver.wait_for(url)
        dead = waiting.until("the poison", lambda: deployment.messages("FirstAttemptsDead"))
    assert dead == ["{"]
    assert len(service.until_delivered(session)["delivery"]["attempts"]) == 1


def test_unreadable_text_ends_in_the_failure_queue(deployment, service):
    service.publish("this is no text")
    failed, = waiting.until(
        "the failed record", lambda: deployment.messages("InboundSnsFailed"), within=120
    )
    assert "this is no text" in failed
