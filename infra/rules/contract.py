"""What the template has to be: what each function may do, is told and answers. From the code, by
hand: `functions/*/main.rs`, `shared/aws`, and `shared/domain/src/event.rs`, which is read."""

import re

from model import ROOT

_LOGS = {("logs:CreateLogStream", "{}Logs"), ("logs:PutLogEvents", "{}Logs")}
_TRACES = {("xray:PutTelemetryRecords", "*"), ("xray:PutTraceSegments", "*")}
_KEYS = ("SigningKey", "SigningKeyArn")


def _table(*actions):
    return {(f"dynamodb:{action}", "Table") for action in actions}


def _queue(queue, *actions):
    return {(f"sqs:{action}", queue) for action in actions}


def _send(queue):
    return _queue(queue, "SendMessage", "GetQueueAttributes")


def _work(queue):
    return _queue(queue, "ReceiveMessage", "DeleteMessage", "GetQueueAttributes", "SendMessage")


def _push(*methods):
    """What may be done to browsers' connections, by HTTP method. A stage's path, so no resource of
    the template: written as `connections` in `iam.py` and `hcl.py` name it."""
    return {("execute-api:ManageConnections", f"SocketApi/socket/{m}/@connections/*") for m in methods}


def _key(action, *keys):
    return {(f"kms:{action}", key) for key in keys}


_PERMISSIONS = {
    "acquire": _table("GetItem", "PutItem"),
    "confirm": _table("GetItem", "PutItem"),
    "confirmations": _table("GetItem", "UpdateItem")
    | _send("FirstAttemptsQueue")
    | _send("RetriesQueue"),
    "inbound-sms": _table("GetItem", "UpdateItem")
    | _send("FirstAttemptsQueue")
    | {
        ("ssm:GetParameter", "InboundParameterName"),
        ("secretsmanager:GetSecretValue", "InboundSecrets"),
        ("secretsmanager:GetSecretValue", "InboundSecretArn"),
    },
    # Lambda puts what failed into the queue in the function's name.
    "inbound-sns": _table("GetItem", "UpdateItem")
    | _send("FirstAttemptsQueue")
    | {("sqs:SendMessage", "InboundSnsFailedQueue")},
    "dispatcher": _table("GetItem", "UpdateItem", "Query")
    | _work("FirstAttemptsQueue")
    | _work("RetriesQueue")
    # The published keys too: while one key follows another, both versions of the function run, and a
    # role has no versions.
    | _key("Sign", *_KEYS, "PublishedKeyArns")
    | _key("GetPublicKey", *_KEYS, "PublishedKeyArns"),
    "well-known": _key("GetPublicKey", *_KEYS, "PublishedKeyArns"),
    # Its Query is bound to the partition of apps: see `iam.py`.
    "qr-session": _table("GetItem", "PutItem", "UpdateItem", "Query")
    | _send("FirstAttemptsQueue")
    | _push("POST")
    | {
        ("ssm:GetParameter", "OriginParameterName"),
        ("secretsmanager:GetSecretValue", "OriginSecretArn"),
    },
    "browser-socket": _table("GetItem", "UpdateItem") | _push("POST", "DELETE"),
}


def logical(function):
    """`inbound-sms` is InboundSms in logical ids."""
    return "".join(word.capitalize() for word in function.split("-"))


def permissions(function):
    """Pairs of an action and what it may be done to."""
    logs = {(action, name.format(logical(function))) for action, name in _LOGS}
    return _PERMISSIONS[function] | logs | _TRACES


_TIMES = {"COUNTERSIGN_VALIDITY": {"Validity"}, "COUNTERSIGN_RETENTION": {"Retention"}}
_TABLE = {"COUNTERSIGN_TABLE": {"Table"}}
_STORE = {**_TABLE, **_TIMES}
_FIRST = {"COUNTERSIGN_FIRST_ATTEMPTS_QUEUE_URL": {"FirstAttemptsQueue"}}
_RETRIES = {"COUNTERSIGN_RETRIES_QUEUE_URL": {"RetriesQueue"}}
_SOCKET = {"COUNTERSIGN_SOCKET_ENDPOINT": {"SocketApi"}}
_SIGNING = {"COUNTERSIGN_SIGNING_KEY_ARN": set(_KEYS)}
_ENVIRONMENT = {
    "acquire": _STORE,
    "confirm": _STORE,
    "confirmations": {**_STORE, **_FIRST, **_RETRIES},
    "inbound-sms": {
        **_STORE,
        **_FIRST,
        "COUNTERSIGN_INBOUND_SECRETS": {
            "InboundSecrets",
            "InboundSecretArn",
            "InboundParameterName",
        },
    },
    "inbound-sns": {**_STORE, **_FIRST, "COUNTERSIGN_INBOUND_TOPIC_ARN": {"InboundTopic"}},
    "dispatcher": {**_STORE, **_FIRST, **_RETRIES, **_SIGNING},
    "well-known": {**_SIGNING, "COUNTERSIGN_PUBLISHED_KEY_ARNS": {"PublishedKeyArns"}},
    # Logins last as long as the domain says.
    "qr-session": {
        **_TABLE,
        **_FIRST,
        **_SOCKET,
        "COUNTERSIGN_SOCKET_URL": {"SocketApi"},
        "COUNTERSIGN_ORIGIN_SECRET": {"OriginSecretArn", "OriginParameterName"},
    },
    "browser-socket": {**_TABLE, **_SOCKET},
}
FUNCTIONS = tuple(_ENVIRONMENT)


def environment(function):
    """Each variable with what its value refers to; the stack's name is a pseudo parameter."""
    return {"COUNTERSIGN_DEPLOYMENT": set(), "COUNTERSIGN_RELEASE": {"Release"}, **_ENVIRONMENT[function]}


PATHS = {
    "/acquire-phone-number": "acquire",
    "/make-confirmation": "confirm",
    "/confirmations/{id}": "confirmations",
    "/confirmations/{id}/{action}": "confirmations",
    "/inbound-sms/{provider}": "inbound-sms",
    "/public-key": "well-known",
    "/.well-known/jwks.json": "well-known",
    "/openapi.json": "well-known",
    "/healthz": "well-known",
    "/qr-sessions": "qr-session",
    "/qr-sessions/{id}": "qr-session",
    "/qr-sessions/{id}/{action}": "qr-session",
    "/widget.js": "qr-session",
    "/.well-known/assetlinks.json": "qr-session",
    "/.well-known/apple-app-site-association": "qr-session",
}
# Anybody with a browser may call these, so they are throttled by themselves.
THROTTLED = {f"ANY {path}" for path in PATHS if path.startswith("/qr-sessions")}
ROUTES = {
    "$default": "well-known",
    # The page for people without the app.
    "ANY /": "qr-session",
    **{f"ANY {path}": function for path, function in PATHS.items()},
}
SOCKET_ROUTES = dict.fromkeys(("$connect", "$disconnect", "$default"), "browser-socket")
# The functions that answer HTTP requests.
HTTP = tuple(dict.fromkeys(ROUTES.values()))

OUTPUTS = {
    "ApiUrl",
    "TableName",
    "SigningKeyArn",
    "InboundTopicArn",
    "InboundSecretArn",
    "WidgetUrl",
    "SocketUrl",
}

# Each has an alarm, or a few whose names begin so; and a section in docs/operations.md.
ALARMS = {
    "first-attempts-dead",
    "retries-dead",
    "inbound-sns-undelivered",
    "inbound-sns-failed",
    "first-attempts-age",
    "retries-age",
    "api-errors",
    "socket-errors",
    "function-errors",
    "server-errors",
    "function-throttles",
    "table-throttled",
    "attempts-failed-ours",
    "deliveries-failed",
    "webhooks-late",
    "enqueue-failed",
    "deliveries-swept",
    "sweep-not-running",
    "unmatched-texts",
    "texts-elsewhere",
    "poisoned",
    "second-phones",
}


# The metric of each function by itself: answers of 500 and above.
SERVER_ERROR = "server_error"


# What `countersign serve` alone counts: on AWS open sessions are not counted, SQS always has room, and
# the clock is AWS's.
_OF_SERVE = {"clock_ahead", "left_to_sweep", "open_exceeded", "qr_open_exceeded"}


def metrics():
    """The metrics that the code writes for the deployment as a whole."""
    code = (ROOT / "shared/domain/src/event.rs").read_text("utf-8")
    block = re.search(r"const NAMES:[^=]*= \[(.*?)\];", code, re.S)
    found = set(re.findall(r'"(\w+)"', block.group(1))) if block else set()
    if not found:
        raise ValueError("shared/domain/src/event.rs holds no Event::NAMES")
    found |= set(re.findall(r'=> "(qr_\w+)"', code))
    unknown = _OF_SERVE - found
    if unknown:
        raise ValueError(f"no such events any more: {', '.join(sorted(unknown))}")
    return found - _OF_SERVE | {"text_to_webhook", "text_poisoned", "pointer_poisoned"}
