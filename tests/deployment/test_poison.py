"""Tests of unreadable messages: they end in a queue for the operator and hold nothing up."""

import json

import pytest

import waiting

POINTER = json.dumps({"v": 1, "confirmationId": "nonsense"})


@pytest.mark.parametrize(
    ("queue", "poison"), [("FirstAttempts", POINTER), ("FirstAttempts", "{"), ("Retries", POINTER)]
)
def test_unreadable_pointer_ends_in_the_dead_letter_queue(deployment, queue, poison):
    # Without this, a message is only received again after six times the dispatcher's timeout.
    with deployment.queue_attribute(queue, "VisibilityTimeout", "0"):
        deployment.client("sqs").send_message(
            QueueUrl=deployment.queue(queue), MessageBody=poison, MessageGroupId="poison"
        )
        assert deployment.lose_message(f"{queue}Dead", poison) == poison
    assert poison not in deployment.messages(queue)


def test_poisoned_message_does_not_fail_its_batch(deployment, service, receiver):
    url = receiver.new_url()
    session = service.acquire(url)
    with deployment.without_reader("FirstAttempts"):
        # Earlier tests may have left messages that were received but not deleted.
        deployment.purge("FirstAttempts")
        service.text(session)
        service.until_verified(session)
        deployment.client("sqs").send_message(
            QueueUrl=deployment.queue("FirstAttempts"), MessageBody="{", MessageGroupId="poison"
        )
    assert len(service.until_delivered(session)["delivery"]["attempts"]) == 1
    # Only the poison message is left, and is received again once its visibility timeout has passed.
    waiting.until(
        "the end of the batch", lambda: deployment.waiting_messages("FirstAttempts") == (0, 1)
    )
    assert len(receiver.received(url)) == 1
    deployment.purge("FirstAttempts")


def test_unreadable_text_ends_in_the_failure_queue(deployment, service):
    service.publish("this is no text")
    deployment.lose_message("InboundSnsFailed", "this is no text")
