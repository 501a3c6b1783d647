"""Services in trouble while functions start: what does not need them is done all the same."""

import pytest

import waiting
from deployment import confirmation_key

KINDS = ["hangs", "drops", "fails"]


@pytest.mark.parametrize("kind", KINDS)
def test_texts_are_taken_while_sqs_is_in_trouble(proxy, deployment, service, receiver, kind):
    url = receiver.new_url()
    over_http, over_sns = service.acquire(url), service.acquire(url)
    functions = ("inbound-sms", "inbound-sns")
    before = [deployment.counted(function, "enqueue_failed") for function in functions]
    with proxy.trouble("sqs", kind):
        for function in functions:
            deployment.restart(function)
        assert service.text_over_http(over_http).status == 200
        assert service.state(over_http)["status"] == "verified"
        service.text(over_sns)
        service.until_verified(over_sns)
        # Both have given up on telling the dispatcher.
        waiting.until(
            "the last attempt to enqueue",
            lambda: [deployment.counted(function, "enqueue_failed") for function in functions]
            == [count + 1 for count in before],
        )
    assert not receiver.received(url)
    # The sweep finds what is owed.
    for session in (over_http, over_sns):
        deployment.set_time(confirmation_key(session["confirmationId"]), "due_at", 1)
    deployment.sweep()
    for webhook in receiver.wait_for(url, 2):
        service.verify(webhook)


@pytest.mark.parametrize("kind", KINDS)
def test_health_is_answered_while_kms_is_in_trouble(proxy, deployment, service, kind):
    before = deployment.counted("well-known", "server_error")
    with proxy.trouble("kms", kind):
        deployment.restart("well-known")
        assert service.call("GET", "/healthz").status == 200
        assert service.call("GET", "/nothing-here").status == 404
        assert service.call("GET", "/.well-known/jwks.json").status == 503
    # The one answer of 503 is counted for the function, which the canary looks at.
    assert deployment.counted("well-known", "server_error") == before + 1
    # And nothing has to be restarted afterwards.
    assert service.call("GET", "/.well-known/jwks.json").status == 200
