"""Rules for alarms and the dashboard."""

import json
import re

from contract import ALARMS, FUNCTIONS, HTTP, SERVER_ERROR, metrics
from model import names, rule, targets

_OWN = "Countersign"
_DEPLOYMENT = [{"Name": "Deployment", "Value": {"Ref": "AWS::StackName"}}]


def name_of(alarm):
    """Returns an alarm's name without the stack's name."""
    return alarm["AlarmName"]["Fn::Sub"].removeprefix("${AWS::StackName}-")


def of_function(function):
    """Returns the dimension of a function's own metrics: its name, never a reference to it. See
    `functions.rollback_alarms_have_no_circular_dependency`."""
    return [{"Name": "FunctionName", "Value": {"Fn::Sub": "${AWS::StackName}-" + function}}]


def watchers(template, function, namespace, metric):
    """Returns the alarms that watch a metric of one function."""
    return {
        name
        for name, alarm in template.properties("AWS::CloudWatch::Alarm").items()
        if (alarm.get("Namespace"), alarm.get("MetricName")) == (namespace, metric)
        and alarm.get("Dimensions") == of_function(function)
    }


def kind_of(name):
    """Returns the kind of alarm in the contract that an alarm's name belongs to."""
    fitting = [k for k in ALARMS if name == k or name.startswith(f"{k}-")]
    return max(fitting, key=len, default=None)


@rule
def every_alarm_exists(template):
    kinds = set()
    for name, alarm in template.properties("AWS::CloudWatch::Alarm").items():
        kind = kind_of(name_of(alarm))
        kinds.add(kind)
        if kind is None:
            yield f"{name} is not in the contract"
    yield from (f"no alarm {kind}" for kind in sorted(ALARMS - kinds))
    found = {name_of(a) for a in template.properties("AWS::CloudWatch::Alarm").values()}
    for kind, functions in (
        ("function-errors", FUNCTIONS),
        ("server-errors", HTTP),
        ("function-throttles", FUNCTIONS),
    ):
        yield from (f"no alarm {kind}-{f}" for f in functions if f"{kind}-{f}" not in found)


@rule
def every_alarm_has_a_runbook(template):
    headings = set(re.findall(r"^#+ `?([a-z-]+)`?$", template.operations, re.M))
    for name, alarm in template.properties("AWS::CloudWatch::Alarm").items():
        if kind_of(name_of(alarm)) not in headings:
            yield f"{name}: docs/operations.md has no section {kind_of(name_of(alarm))}"
    yield from (f"docs/operations.md has no section {k}" for k in sorted(ALARMS - headings))


@rule
def alarms_notify_the_alarm_topic(template):
    for name, alarm in template.properties("AWS::CloudWatch::Alarm").items():
        if targets(alarm.get("AlarmActions")) != {"AlarmTopic"}:
            yield f"{name}: does not notify AlarmTopic"
        silence = "breaching" if name_of(alarm) == "sweep-not-running" else "notBreaching"
        if alarm.get("TreatMissingData") != silence:
            yield f"{name}: TreatMissingData is not {silence}"
        if not alarm.get("AlarmDescription"):
            yield f"{name}: no description"


@rule
def alarms_watch_existing_metrics(template):
    own = metrics()
    for name, alarm in template.properties("AWS::CloudWatch::Alarm").items():
        if "Metrics" in alarm:
            yield f"{name}: uses metric math, which emulators do not support"
        if alarm.get("Namespace") == _OWN:
            if alarm.get("MetricName") == SERVER_ERROR:
                if alarm.get("Dimensions") not in map(of_function, HTTP):
                    yield f"{name}: its dimension is not a function with HTTP routes"
            elif alarm.get("MetricName") not in own:
                yield f"{name}: the code writes no metric {alarm.get('MetricName')}"
            elif alarm.get("Dimensions") != _DEPLOYMENT:
                yield f"{name}: its dimension is not the deployment"
        elif not alarm.get("Dimensions"):
            yield f"{name}: watches the whole account"


@rule
def server_errors_raise_an_alarm(template):
    """Each function has its own alarm, raised early enough to roll back a canary of five minutes."""
    alarms = template.properties("AWS::CloudWatch::Alarm")
    for function in HTTP:
        found = watchers(template, function, _OWN, SERVER_ERROR)
        if not found:
            yield f"{function}: no alarm for its responses of 500 and above"
        for name in found:
            alarm = alarms[name]
            minutes = alarm["Period"] * alarm.get("DatapointsToAlarm", alarm["EvaluationPeriods"])
            if minutes > 120 or alarm.get("Threshold") != 1 or alarm.get("Statistic") != "Sum":
                yield f"{name}: is not raised by one such response in each of two minutes"


@rule
def every_failure_queue_has_an_alarm(template):
    watched = {
        queue
        for alarm in template.properties("AWS::CloudWatch::Alarm").values()
        if alarm.get("MetricName") == "ApproximateNumberOfMessagesVisible"
        and alarm.get("Threshold") == 0
        for queue in names(alarm.get("Dimensions"))
    }
    for name, queue in template.properties("AWS::SQS::Queue").items():
        if "RedriveAllowPolicy" in queue and name not in watched:
            yield f"{name}: no alarm watches this queue"


@rule
def function_alarms_watch_their_own_function(template):
    for name, alarm in template.properties("AWS::CloudWatch::Alarm").items():
        kind, _, function = name_of(alarm).partition("s-")
        if alarm.get("Namespace") == "AWS/Lambda" or alarm.get("MetricName") == SERVER_ERROR:
            if alarm.get("Dimensions") != of_function(function):
                yield f"{name}: is named {kind}s-{function}, but watches {alarm.get('Dimensions')}"


@rule
def dashboard_shows_every_metric(template):
    own = metrics()
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
                if metric not in own or dimension != "Deployment":
                    yield f"{name}: the code writes no metric {metric} by {dimension}"
        yield from (f"{name}: does not show {metric}" for metric in sorted(own - shown))
        for function in HTTP:
            if "${AWS::StackName}-" + function not in answers:
                yield f"{name}: does not show the server errors of {function}"
    if not shown:
        yield "no dashboard"
