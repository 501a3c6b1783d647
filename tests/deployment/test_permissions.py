"""A function's role is what it needs: without one of its permissions its work fails, and none
is left over."""

from deployment import FUNCTIONS, confirmation_key
from service import PHONE

# What Lambda does in a function's name: logs, traces, reading a queue, keeping what failed.
BY_LAMBDA = {
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "xray:PutTelemetryRecords",
    "xray:PutTraceSegments",
    "sqs:DeleteMessage",
    "sqs:ReceiveMessage",
}


def test_no_session_begins_where_the_table_may_not_be_written(deployment, service, receiver):
    body = {"callbackUrl": receiver.new_url()}
    with deployment.without("acquire", "dynamodb:PutItem"):
        answer = service.call("POST", "/acquire-phone-number", body)
        assert answer.status >= 500
        assert answer.headers["content-type"] == "application/problem+json"
    assert service.call("POST", "/acquire-phone-number", body).status == 200


def test_no_webhook_goes_out_that_may_not_be_signed(deployment, service, receiver):
    url = receiver.new_url()
    session = service.acquire(url)
    with deployment.without("dispatcher", "kms:Sign"):
        service.text(session)
        state = service.until_attempted(session, 1)
        assert state["delivery"]["attempts"][0]["failure"] == "signing_failed"
        assert not receiver.received(url)
    webhook, = receiver.wait_for(url)
    service.verify(webhook)


def test_what_could_not_be_sent_is_swept_up(deployment, service, receiver):
    url = receiver.new_url()
    session = service.acquire(url)
    with deployment.without("inbound-sms", "sqs:SendMessage"):
        # The text was taken: what is owed stands in the table.
        assert service.text_over_http(session).status == 200
        assert service.state(session)["status"] == "verified"
    deployment.set_time(confirmation_key(session["confirmationId"]), "due_at", 1)
    deployment.sweep()
    service.verify(receiver.wait_for(url)[0])
    service.until_delivered(session)


def test_every_permission_is_used(deployment, proxy, service, receiver):
    """Each function does all that it ever does; then its calls are held against its role."""
    url = receiver.new_url(500)
    for session, bring in (
        (service.acquire(url), service.text),
        (service.confirm(PHONE, url), service.text_over_http),
    ):
        bring(session)
        service.until_delivered(session)
        again = f"/confirmations/{session['confirmationId']}/redeliver"
        assert service.call("POST", again).status in (200, 202)
        service.until_delivered(session)
    service.public_key()
    deployment.sweep()

    used = {}
    for call in proxy.calls():
        if call.status == 200:
            function = deployment.signer(call.caller)
            used.setdefault(function, set()).add(f"{call.service}:{call.operation}")
    granted = {function: deployment.granted(function) - BY_LAMBDA for function in used}
    assert granted == used
    assert set(granted) == set(FUNCTIONS)
