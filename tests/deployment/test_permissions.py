"""A function's role is what it needs: without one of its permissions its work fails."""


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
    deployment.set_time(session["confirmationId"], "due_at", 1)
    deployment.sweep()
    service.verify(receiver.wait_for(url)[0])
    service.until_delivered(session)
