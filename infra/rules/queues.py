"""Rules for queues, topics and the schedule."""

from model import listed, names, rule, statements, targets

_TWO_WEEKS = 1209600
_WORK = ("FirstAttemptsQueue", "RetriesQueue")
_DEAD = (
    "FirstAttemptsDeadQueue",
    "RetriesDeadQueue",
    "InboundSnsUndeliveredQueue",
    "InboundSnsFailedQueue",
)


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
def every_queue_exists(template):
    found = set(template.of_type("AWS::SQS::Queue"))
    yield from (f"no {name}" for name in {*_WORK, *_DEAD} - found)
    yield from (f"{name} is not in the contract" for name in found - {*_WORK, *_DEAD})


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
def batches_fail_in_part_and_are_bounded(template):
    sources = template.properties("AWS::Lambda::EventSourceMapping")
    for name, source in sources.items():
        if source.get("FunctionResponseTypes") != ["ReportBatchItemFailures"]:
            yield f"{name}: one failure fails the whole batch"
        if not names(source.get("ScalingConfig", {}).get("MaximumConcurrency")):
            yield f"{name}: no MaximumConcurrency"
        if source.get("BatchSize") != 10:
            yield f"{name}: the batch size differs from docs/operations.md"
    fed = sorted(queue for s in sources.values() for queue in targets(s["EventSourceArn"]))
    if fed != sorted(_WORK):
        yield "the dispatcher does not read both queues, once each"
    caps = [names(s.get("ScalingConfig")) for s in sources.values()]
    if len(set(map(frozenset, caps))) != len(caps):
        yield "both queues share one concurrency limit, so retries could crowd out first attempts"


@rule
def failed_messages_are_kept_for_two_weeks(template):
    for name, queue in template.properties("AWS::SQS::Queue").items():
        if name in _DEAD and queue.get("MessageRetentionPeriod") != _TWO_WEEKS:
            yield f"{name}: not kept for two weeks"
        if name in _WORK:
            redrive = queue.get("RedrivePolicy", {})
            if targets(redrive.get("deadLetterTargetArn")) != {name.replace("Queue", "DeadQueue")}:
                yield f"{name}: no dead-letter queue of its own"
            if not 3 <= redrive.get("maxReceiveCount", 0) <= 10:
                yield f"{name}: maxReceiveCount is not 3 to 10"
        if name in _DEAD and "redrivePermission" not in queue.get("RedriveAllowPolicy", {}):
            yield f"{name}: any queue may use it as its dead-letter queue"


@rule
def queues_are_encrypted_and_require_tls(template):
    policies = template.properties("AWS::SQS::QueuePolicy").values()
    for name, queue in template.properties("AWS::SQS::Queue").items():
        if queue.get("SqsManagedSseEnabled") is not True:
            yield f"{name}: not encrypted"
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
def topics_accept_one_service_over_tls(template):
    wanted = {"InboundTopic": "sms-voice.amazonaws.com", "AlarmTopic": "cloudwatch.amazonaws.com"}
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


@rule
def sweep_runs_every_minute(template):
    rules = template.properties("AWS::Events::Rule")
    if set(rules) != {"SweepRule"}:
        yield "SweepRule is not the only schedule"
    for name, schedule in rules.items():
        if schedule.get("ScheduleExpression") != "rate(1 minute)":
            yield f"{name}: does not run every minute"
        if schedule.get("State") != "ENABLED":
            yield f"{name}: not enabled"
        for target in schedule.get("Targets", []):
            if target.get("Input") != '{"sweep":true}':
                yield f"{name}: its input is not the one that the dispatcher expects"
            if targets(target["Arn"]) != {"DispatcherFunctionAliaslive"}:
                yield f"{name}: does not call the dispatcher's alias"
