"""Tests of functions that start while an AWS service fails: work that does not need it is still done."""

import pytest

import waiting
from deployment import confirmation_key

KINDS = ["hangs", "drops", "fails"]


@pytest.mark.parametrize("kind", KINDS)
def test_texts_are_accepted_while_sqs_fails(proxy, deployment, service, receiver, kind):
    url = receiver.new_url()
    over_http, over_sns = service.acquire(url), service.acquire(url)
    functions = ("inbound-sms", "inbound-sns")

    def failed():
        return [deployment.counted(function, "enqueue_failed") for function in functions]

    before = failed()
    # The schedule could sweep before the test does, if this takes long.
    with deployment.without_sweep():
        with proxy.trouble("sqs", kind):
            for function in functions:
                deployment.restart(function)
            # This function runs while the test waits for the other.
            service.text(over_sns)
            assert service.text_over_http(over_http).status == 200
            assert service.state(over_http)["status"] == "verified"
            service.until_verified(over_sns)
            # Both functions have given up on the queue.
            waiting.until(
                "the last attempts to enqueue",
                lambda: all(now > then for now, then in zip(failed(), before, strict=True)),
            )
        assert not receiver.received(url)
        # The sweep finds the pending webhooks.
        for session in (over_http, over_sns):
            deployment.make_due(confirmation_key(session["confirmationId"]))
        deployment.sweep()
    for webhook in receiver.wait_for(url, 2):
        service.verify(webhook)


@pytest.mark.parametrize("kind", KINDS)
def test_health_check_answers_while_kms_fails(proxy, deployment, service, kind):
    before = deployment.counted("well-known", "server_error")
    with proxy.trouble("kms", kind):
        deployment.restart("well-known")
        assert service.call("GET", "/healthz").status == 200
        assert service.call("GET", "/nothing-here").status == 404
        assert service.call("GET", "/.well-known/jwks.json").status == 503
    # The 503 is counted as a server error of the function. Rollouts watch this metric.
    assert deployment.counted("well-known", "server_error") == before + 1
    # The function recovers without a restart.
    assert service.call("GET", "/.well-known/jwks.json").status == 200
