"""Rules for alarms and the dashboard."""

import json
import re

import program
from model import rule, targets

# Counts responses with status 500 and above. The only metric that has the function as its dimension.
SERVER_ERROR = "server_error"

_OWN = "Countersign"
_DEPLOYMENT = [{"Name": "Deployment", "Value": {"Ref": "AWS::StackName"}}]


# Only `countersign serve` counts these: on AWS, open items are not counted, SQS is never full, and AWS keeps
# the clock right.
_OF_SERVE = {
    *("clock_ahead", "left_to_sweep", "open_exceeded", "qr_open_exceeded", "store_damaged"),
    *("connection_refused", "connection_reclaimed", "connection_stalled", "files_changed", "log_line_lost", "panicked"),
}

# Only functions count these.
_OF_AWS = {
    *("text_to_webhook", "oldest_due", "sweep_succeeded", "text_poisoned", "pointer_poisoned", "providers_unreadable"),
    *("refused_caller", "refused_rate", "refused_request"),
}


def metrics():
    """Returns the metrics of the program, which have the deployment as their dimension."""
    return program.counters() - _OF_SERVE | _OF_AWS


def of_logs(template):
    """Returns the metrics that API Gateway's log is counted into, which have the API as their dimension."""
    filters = template.properties("AWS::Logs::MetricFilter").values()
    return {counted["MetricName"] for found in filters for counted in found["MetricTransformations"]}


_NAME = re.compile(r"\$\{AWS::StackName\}-(page|ticket)-(.*)")


def kind_of(alarm):
    """Returns the kind that an alarm's name states, or nothing if it states none."""
    found = _NAME.fullmatch(alarm["AlarmName"]["Fn::Sub"])
    return found and found[1]


def name_of(alarm):
    """Returns an alarm's name without the stack's name and the kind."""
    found = _NAME.fullmatch(alarm["AlarmName"]["Fn::Sub"])
    return found[2] if found else ""


def of_function(function):
    """Returns the dimension of a function's own metrics: its name. A reference to the function would be a circular dependency."""
    return [{"Name": "FunctionName", "Value": {"Fn::Sub": "${AWS::StackName}-" + function}}]


def watchers(template, function, namespace, metric):
    """Returns the alarms that watch a metric of one function."""
    return {
        name
        for name, alarm in template.properties("AWS::CloudWatch::Alarm").items()
        if (alarm.get("Namespace"), alarm.get("MetricName")) == (namespace, metric)
        and alarm.get("Dimensions") == of_function(function)
    }


@rule
def every_alarm_has_a_runbook(template):
    headings = set(re.findall(r"^#+ `?([a-z-]+)`?$", template.runbook, re.M))
    for name, alarm in template.properties("AWS::CloudWatch::Alarm").items():
        # One section may be about alarms of several functions.
        if not any(name_of(alarm) == kind or name_of(alarm).startswith(f"{kind}-") for kind in headings):
            yield f"{name}: docs/alarms.md has no section about it"


@rule
def every_alarm_is_a_page_or_a_ticket(template):
    for name, alarm in template.properties("AWS::CloudWatch::Alarm").items():
        kind = {"PageTopic": "page", "TicketTopic": "ticket"}.get(*targets(alarm.get("AlarmActions")) or [None])
        if not kind:
            yield f"{name}: is neither a page nor a ticket"
        elif kind_of(alarm) != kind:
            yield f"{name}: its name does not say that it is a {kind}"
        if alarm.get("OKActions") != alarm.get("AlarmActions"):
            yield f"{name}: does not say when it is over"
        silence = "breaching" if name_of(alarm) == "sweep-not-succeeding" else "notBreaching"
        if alarm.get("TreatMissingData") != silence:
            yield f"{name}: TreatMissingData is not {silence}"
        if not alarm.get("AlarmDescription"):
            yield f"{name}: no description"


@rule
def resources_that_moved_have_other_names(template):
    """An existing stack keeps alarms, dashboard and budget under their former names until CloudFormation has made the nested stack,
    and CloudFormation refuses a name that exists. The former names of alarms did not state a kind."""
    former = {"Fn::Sub": "${AWS::StackName}-${AWS::Region}"}
    named = {
        **{name: one["DashboardName"] for name, one in template.properties("AWS::CloudWatch::Dashboard").items()},
        **{name: one["Budget"]["BudgetName"] for name, one in template.properties("AWS::Budgets::Budget").items()},
    }
    yield from (f"{name}: has its former name" for name, own in named.items() if own == former)
    alarms = template.properties("AWS::CloudWatch::Alarm").items()
    yield from (f"{name}: may have its former name" for name, alarm in alarms if not kind_of(alarm))


@rule
def alarms_can_be_switched_off(template):
    """Each condition of an alarm or a dashboard is `HasAlarms`, or includes it."""
    for kind in ("AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard"):
        for name, resource in template.of_type(kind).items():
            condition = resource.get("Condition")
            both = template.source["Conditions"].get(condition, {}).get("Fn::And", [])
            if condition != "HasAlarms" and {"Condition": "HasAlarms"} not in both:
                yield f"{name}: is there without Alarms, too"


@rule
def sweeps_that_do_not_succeed_page(template):
    """A sweep that fails, that takes too long, and that is never called look alike: none succeeds."""
    for alarm in template.properties("AWS::CloudWatch::Alarm").values():
        if alarm.get("MetricName") == "sweep_succeeded" and targets(alarm.get("AlarmActions")) == {"PageTopic"}:
            if alarm["Period"] * alarm["EvaluationPeriods"] == 600 and alarm["TreatMissingData"] == "breaching":
                return
    yield "no alarm pages when no sweep has succeeded for ten minutes"


@rule
def single_events_do_not_page(template):
    for name, alarm in template.properties("AWS::CloudWatch::Alarm").items():
        # A message in a dead-letter queue has failed five times.
        failed_often = alarm.get("MetricName") == "ApproximateNumberOfMessagesVisible"
        paging = targets(alarm.get("AlarmActions")) == {"PageTopic"} and not failed_often
        points = alarm.get("DatapointsToAlarm", alarm["EvaluationPeriods"])
        if paging and points < 2 and alarm["Threshold"] < 2:
            yield f"{name}: a single event would page somebody"


def watched(alarm):
    """Returns the metrics of an alarm, also those in an expression."""
    stats = (one["MetricStat"]["Metric"] for one in alarm.get("Metrics", []) if "MetricStat" in one)
    return list(stats) or [alarm]


@rule
def alarms_watch_existing_metrics(template):
    own, logged = metrics(), of_logs(template)
    for name, alarm in template.properties("AWS::CloudWatch::Alarm").items():
        for metric in watched(alarm):
            if metric.get("Namespace") == _OWN:
                if metric.get("MetricName") == SERVER_ERROR:
                    if metric.get("Dimensions") not in map(of_function, template.answering()):
                        yield f"{name}: its dimension is not a function with HTTP routes"
                elif metric.get("MetricName") in logged:
                    if metric.get("Dimensions") != [{"Name": "ApiId", "Value": {"Ref": "HttpApi"}}]:
                        yield f"{name}: its dimension is not the API"
                elif metric.get("MetricName") not in own:
                    yield f"{name}: the code writes no metric {metric.get('MetricName')}"
                elif metric.get("Dimensions") != _DEPLOYMENT:
                    yield f"{name}: its dimension is not the deployment"
            elif not metric.get("Dimensions"):
                yield f"{name}: watches the whole account"


@rule
def every_failure_queue_has_an_alarm(template):
    watched = [
        dimension["Value"]
        for alarm in template.properties("AWS::CloudWatch::Alarm").values()
        if alarm.get("MetricName") == "ApproximateNumberOfMessagesVisible"
        and alarm.get("Threshold") == 0
        for dimension in alarm["Dimensions"]
    ]
    for name, queue in template.properties("AWS::SQS::Queue").items():
        if "RedriveAllowPolicy" in queue and queue["QueueName"] not in watched:
            yield f"{name}: no alarm watches this queue"


@rule
def dashboard_shows_every_metric(template):
    own, logged = metrics(), of_logs(template)
    shown, answers = set(), set()
    for name, dashboard in template.properties("AWS::CloudWatch::Dashboard").items():
        body = json.loads(dashboard["DashboardBody"]["Fn::Sub"])
        for widget in body["widgets"]:
            for namespace, metric, dimension, value, *_ in widget["properties"]["metrics"]:
                if namespace != _OWN:
                    continue
                if (metric, dimension) == (SERVER_ERROR, "FunctionName"):
                    answers.add(value)
                    continue
                shown.add(metric)
                if (metric, dimension) in {(one, "ApiId") for one in logged}:
                    continue
                if metric not in own or dimension != "Deployment":
                    yield f"{name}: the code writes no metric {metric} by {dimension}"
        yield from (f"{name}: does not show {metric}" for metric in sorted((own | logged) - shown))
        for function in template.answering():
            if "${AWS::StackName}-" + function not in answers:
                yield f"{name}: does not show the server errors of {function}"
    if not shown:
        yield "no dashboard"
