"""Rules for queues and topics."""

from model import listed, names, rule, statements, targets


def _only_over_tls(document, resource, action):
    return any(
        s.get("Effect") == "Deny"
        and s.get("Principal") == "*"
        and action in listed(s.get("Action"))
        and resource in names(s.get("Resource"))
        and s.get("Condition") == {"Bool": {"aws:SecureTransport": "false"}}
        for s in statements(document)
    )


@rule
def messages_stay_hidden_for_six_timeouts(template):
    queues = template.properties("AWS::SQS::Queue")
    of_alias = {
        alias: template.resources[next(iter(targets(a["Properties"]["FunctionName"])))]["Properties"]
        for alias, a in template.of_type("AWS::Lambda::Alias").items()
    }
    for name, source in template.properties("AWS::Lambda::EventSourceMapping").items():
        for queue in targets(source["EventSourceArn"]):
            for alias in targets(source["FunctionName"]):
                timeout = of_alias.get(alias, {}).get("Timeout", 0)
                if queues.get(queue, {}).get("VisibilityTimeout", 30) < 6 * timeout:
                    yield f"{name}: {queue} shows messages again before six timeouts of {timeout} s"


@rule
def queues_require_tls(template):
    policies = template.properties("AWS::SQS::QueuePolicy").values()
    for name in template.of_type("AWS::SQS::Queue"):
        if not any(
            name in names(p["Queues"]) and _only_over_tls(p["PolicyDocument"], name, "sqs:*")
            for p in policies
        ):
            yield f"{name}: does not require TLS"


@rule
def subscriptions_have_a_dead_letter_queue(template):
    """Without the queue's policy, SNS silently drops what it cannot deliver."""
    policies = template.properties("AWS::SQS::QueuePolicy").values()
    for name, subscription in template.properties("AWS::SNS::Subscription").items():
        if subscription.get("Protocol") != "lambda":
            continue
        dead = targets(subscription.get("RedrivePolicy", {}).get("deadLetterTargetArn"))
        if not dead:
            yield f"{name}: no dead-letter queue"
        for queue in dead:
            allowed = any(
                s.get("Effect") == "Allow"
                and s.get("Principal") == {"Service": "sns.amazonaws.com"}
                and "sqs:SendMessage" in listed(s.get("Action"))
                and queue in names(s.get("Resource"))
                and targets(s.get("Condition", {}).get("ArnEquals")) == {"InboundTopic"}
                for p in policies
                if queue in names(p["Queues"])
                for s in statements(p["PolicyDocument"])
            )
            if not allowed:
                yield f"{name}: the policy of {queue} does not let the topic send"


@rule
def topics_accept_their_services_over_tls(template):
    alarms, budgets = "cloudwatch.amazonaws.com", "budgets.amazonaws.com"
    wanted = {
        "InboundTopic": "sms-voice.amazonaws.com",
        "PageTopic": [alarms],
        "TicketTopic": [alarms, budgets],
    }
    policies = template.properties("AWS::SNS::TopicPolicy").values()
    for name, topic in template.properties("AWS::SNS::Topic").items():
        documents = [p["PolicyDocument"] for p in policies if name in names(p["Topics"])]
        allowed = [s for d in documents for s in statements(d) if s["Effect"] == "Allow"]
        if [s.get("Principal") for s in allowed] != [{"Service": wanted.get(name)}]:
            yield f"{name}: others than {wanted.get(name)} may publish"
        for s in allowed:
            account = {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
            if s.get("Condition") != account:
                yield f"{name}: other accounts may publish through the service"
        if not any(_only_over_tls(d, name, "sns:Publish") for d in documents):
            yield f"{name}: does not require TLS"
        if topic.get("FifoTopic"):
            yield f"{name}: is FIFO, but End User Messaging only publishes to standard topics"
