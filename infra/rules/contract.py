"""The contract of the template: the rights, variables and routes of each function. Written by hand from
`functions/*/main.rs` and `shared/aws`; the names of metrics are read from `shared/domain/src/event.rs`."""

import re

from model import ROOT

_LOGS = {("logs:CreateLogStream", "{}Logs"), ("logs:PutLogEvents", "{}Logs")}
_TRACES = {("xray:PutTelemetryRecords", "*"), ("xray:PutTraceSegments", "*")}
_KEYS = ("SigningKey", "SigningKeyArn")


def _table(*actions):
    return {(f"dynamodb:{action}", "Table") for action in actions}


# The kinds of items that each function may read and write, by action, as patterns of their partition keys.
# Every function may read the profile to connect; those that authenticate API keys do if they may not list apps.
# `iam.py` limits queries.
_CALLERS = {"PROFILE", "APPS", "KEY#*"}
ITEMS = {
    "acquire": {"GetItem": _CALLERS | {"CFM#*"}, "PutItem": {"CFM#*"}},
    "confirm": {"GetItem": _CALLERS | {"CFM#*"}, "PutItem": {"CFM#*"}},
    "confirmations": {"GetItem": _CALLERS | {"CFM#*"}, "UpdateItem": {"CFM#*"}},
    "inbound-sms": {
        "GetItem": {"PROFILE", "CFM#*", "TEXT#*"},
        "PutItem": {"NONCE#*", "TEXT#*"},
        "UpdateItem": {"CFM#*", "TEXT#*"},
    },
    "inbound-sns": {"GetItem": {"PROFILE", "CFM#*"}, "UpdateItem": {"CFM#*"}},
    "dispatcher": {"GetItem": {"PROFILE", "CFM#*", "QR#*"}, "UpdateItem": {"CFM#*", "QR#*"}},
    "qr-session": {
        "GetItem": _CALLERS | {"QR#*", "SEEN#*", "USER#*", "AKEY#*"},
        "PutItem": {"QR#*", "SEEN#*", "USER#*"},
        "UpdateItem": {"QR#*", "SEEN#*", "USER#*"},
    },
    "browser-socket": {"GetItem": {"PROFILE", "QR#*"}, "UpdateItem": {"QR#*"}},
    "association-keys": {
        action: kinds | {"AKEY#*", "AOWNER#*"}
        for action, kinds in (("GetItem", _CALLERS), ("PutItem", set()), ("UpdateItem", set()))
    },
}


def _queue(queue, *actions):
    return {(f"sqs:{action}", queue) for action in actions}


def _send(queue):
    return _queue(queue, "SendMessage", "GetQueueAttributes")


def _work(queue):
    return _queue(queue, "ReceiveMessage", "DeleteMessage", "GetQueueAttributes", "SendMessage")


def _push(*methods):
    """Returns the rights to browsers' connections, by HTTP method. Connections are not resources of the
    template, so they are written as in `iam.py`."""
    return {("execute-api:ManageConnections", f"SocketApi/socket/{m}/@connections/*") for m in methods}


def _key(action, *keys):
    return {(f"kms:{action}", key) for key in keys}


_PERMISSIONS = {
    "acquire": _table("GetItem", "PutItem", "Query"),
    "confirm": _table("GetItem", "PutItem", "Query"),
    "confirmations": _table("GetItem", "UpdateItem", "Query")
    | _send("FirstAttemptsQueue")
    | _send("RetriesQueue"),
    "inbound-sms": _table("GetItem", "PutItem", "UpdateItem")
    | _send("FirstAttemptsQueue")
    | {
        ("secretsmanager:GetSecretValue", "InboundSecrets"),
        ("secretsmanager:GetSecretValue", "InboundSecretArn"),
    },
    # Lambda uses the function's rights to send failed events to the queue.
    "inbound-sns": _table("GetItem", "UpdateItem")
    | _send("FirstAttemptsQueue")
    | {("sqs:SendMessage", "InboundSnsFailedQueue")},
    "dispatcher": _table("GetItem", "UpdateItem", "Query")
    | _work("FirstAttemptsQueue")
    | _work("RetriesQueue")
    # Includes the published keys: during a rotation, both versions of the function run with one role.
    | _key("Sign", *_KEYS, "PublishedKeyArns")
    | _key("GetPublicKey", *_KEYS, "PublishedKeyArns")
    | {
        ("sms-voice:CarrierLookup", "*"),
        ("secretsmanager:GetSecretValue", "TwilioLookupSecretArn"),
    },
    "well-known": _key("GetPublicKey", *_KEYS, "PublishedKeyArns"),
    "qr-session": _table("GetItem", "PutItem", "UpdateItem", "Query")
    | _send("FirstAttemptsQueue")
    | _push("POST")
    | {("secretsmanager:GetSecretValue", "OriginSecretArn")},
    "browser-socket": _table("GetItem", "UpdateItem") | _push("POST", "DELETE"),
    "association-keys": _table("GetItem", "PutItem", "UpdateItem", "Query"),
}


def logical(function):
    """Returns the first part of a function's logical ids: `InboundSms` for `inbound-sms`."""
    return "".join(word.capitalize() for word in function.split("-"))


def permissions(function):
    """Returns the rights of a function, as pairs of an action and a resource."""
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
        "COUNTERSIGN_INBOUND_SECRETS": {"InboundSecrets", "InboundSecretArn"},
        "COUNTERSIGN_PUBLIC_URL": {"PublicUrl", "DomainName", "HttpApi"},
    },
    "inbound-sns": {**_STORE, **_FIRST, "COUNTERSIGN_INBOUND_TOPIC_ARN": {"InboundTopic"}},
    "dispatcher": {
        **_STORE,
        **_FIRST,
        **_RETRIES,
        **_SIGNING,
        "COUNTERSIGN_CARRIER_LOOKUP": {"TwilioLookupSecretArn"},
        "COUNTERSIGN_CARRIER_LOOKUPS_PER_DAY": {"CarrierLookupsPerDay"},
    },
    "well-known": {**_SIGNING, "COUNTERSIGN_PUBLISHED_KEY_ARNS": {"PublishedKeyArns"}},
    # The lifetime of logins is a constant of the domain.
    "qr-session": {
        **_TABLE,
        **_FIRST,
        **_SOCKET,
        "COUNTERSIGN_SOCKET_URL": {"SocketApi"},
        "COUNTERSIGN_ORIGIN_SECRET": {"OriginSecretArn"},
    },
    "browser-socket": {**_TABLE, **_SOCKET},
    "association-keys": _TABLE,
}
FUNCTIONS = tuple(_ENVIRONMENT)


def environment(function):
    """Returns the variables of a function, each with the resources and parameters that it refers to."""
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
    "/association-keys": "association-keys",
    "/association-keys/{keyId}": "association-keys",
    "/qr-sessions": "qr-session",
    "/qr-sessions/{id}": "qr-session",
    "/qr-sessions/{id}/{action}": "qr-session",
    "/widget.js": "qr-session",
    "/.well-known/assetlinks.json": "qr-session",
    "/.well-known/apple-app-site-association": "qr-session",
}
# Anyone with a browser may call these, so they have limits of their own.
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

# Kinds of alarms. Each has an alarm of that name, or several whose names start with it, and a section in
# docs/operations.md.
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
    "providers-unreadable",
    "second-phones",
    "key-mismatches",
    "carrier-lookups",
}


# Counts responses of 500 and above. The only metric with the function as its dimension.
SERVER_ERROR = "server_error"


# Only `countersign serve` counts these: on AWS, open items are not counted, SQS is never full, and AWS
# keeps the clock right.
_OF_SERVE = {"clock_ahead", "left_to_sweep", "open_exceeded", "qr_open_exceeded", "store_damaged"}


# Only functions count these.
_OF_AWS = {"text_to_webhook", "text_poisoned", "pointer_poisoned", "providers_unreadable"}


def metrics():
    """Returns the metrics that have the deployment as their dimension."""
    code = (ROOT / "shared/domain/src/event.rs").read_text("utf-8")
    block = re.search(r"const NAMES:[^=]*= \[(.*?)\];", code, re.S)
    found = set(re.findall(r'"(\w+)"', block.group(1))) if block else set()
    if not found:
        raise ValueError("no Event::NAMES in shared/domain/src/event.rs")
    found |= set(re.findall(r'=> "(qr_\w+)"', code))
    unknown = _OF_SERVE - found
    if unknown:
        raise ValueError(f"_OF_SERVE names events that do not exist: {', '.join(sorted(unknown))}")
    return found - _OF_SERVE | _OF_AWS


def kinds_of_items():
    """Returns the kinds of items in the table, as patterns of their partition keys."""
    code = (ROOT / "shared/domain/src/store/document.rs").read_text("utf-8")
    block = re.search(r"impl fmt::Display for Key \{(.*?)\n\}", code, re.S)
    found = set(re.findall(r'f(?:\.write_str\(|, )"(\w+#?)', block.group(1))) if block else set()
    if not found:
        raise ValueError("no keys in shared/domain/src/store/document.rs")
    # All apps are in one partition, so that they can be listed.
    return {re.sub("#$", "#*", kind) for kind in found - {"APP#"}} | {"APPS"}
