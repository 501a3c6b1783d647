"""Tests of the policies in infra/console.yaml: with them, the console shows everything and changes nothing."""

import itertools
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

import stacks
from console import console
from deployment import LEADING_KEYS, ROOT, STACK, actions, confirmation_key, kinds
from logins import Browser, Phone
from phones import Registration
from proofs import AssociationKey
from service import Service
from users import User

APP, USER = "console", "zoe"
# Only an answer from CloudWatch lacks nothing.
TOTALS = '"complete":true'
DAYS = itertools.count()


@pytest.fixture(scope="module")
def policies(deployment):
    """The statements of each policy, by its output."""
    outputs = stacks.create(
        deployment.client,
        f"{STACK}-console",
        (ROOT / "infra" / "console.yaml").read_text(encoding="utf-8"),
        StackName=STACK,
        TableName=deployment.table,
        InboundSecretArn=stacks.outputs(deployment.client, STACK)["InboundSecretArn"],
    )
    iam, found = deployment.client("iam"), {}
    for name, arn in outputs.items():
        version = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
        policy = iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]
        found[name] = policy["Document"]["Statement"]
    return SimpleNamespace(reader=found["ConsoleReaderPolicyArn"], providers=found["ConsoleProvidersPolicyArn"])


@pytest.fixture(scope="module")
def person(deployment, policies):
    """A user of the account, whose rights the tests set."""
    return User(deployment.client, "sam", policies.reader)


@pytest.fixture
def reader(person, policies):
    """A person with the first policy."""
    person.grant(policies.reader)
    return person


@pytest.fixture(scope="module")
def things(deployment, administration, receiver):
    """An app, and one of each thing that the console shows about it."""
    app_key, api_key = administration.create_login_app(
        APP, origin=f"https://{APP}.example", link_host=f"login.{APP}.example", payload_encryption="optional", web_phone="on"
    )
    key = AssociationKey()
    administration.add_association_key(APP, USER, key.public())
    url, service = receiver.new_url(), Service(deployment, api_key)
    delivered = service.acquire(url)
    service.text(delivered)
    service.until_delivered(delivered)
    app = SimpleNamespace(
        key=app_key, api_key=api_key, host=f"login.{APP}.example", origin=f"https://{APP}.example", url=None
    )
    login = Browser(deployment, app).open()
    Phone(deployment, app).initiate(login)
    registration = Registration(deployment, app, USER)
    return SimpleNamespace(
        delivered=delivered["confirmationId"],
        open=service.acquire(url)["confirmationId"],
        login=login.id,
        registration=registration.id,
        key=administration.keys(APP)[0]["keyId"],
        association_key=key.id,
        secret=administration.issue_client_secret(APP)[1],
    )


def reading(things):
    """Requests of readers by name, each with a part of its answer: what the app has."""
    app, since = {"app": APP}, {"since": "2026-01-01T00:00:00Z"}
    return [
        ("list_apps", {}, APP),
        ("show_app", app, APP),
        ("list_keys", app, things.key),
        ("list_client_secrets", app, "items"),
        ("list_association_keys", {**app, "public_user_id": USER}, things.association_key),
        ("list_association_keys", app, things.association_key),
        ("list_phone_registrations", {**app, "public_user_id": USER}, things.registration),
        ("show_phone_registration", {"id": things.registration}, things.registration),
        ("list_audit", {**app, "last": 50}, "create_app"),
        ("find_confirmations", app, things.delivered),
        ("show_confirmation", {"id": things.delivered}, things.delivered),
        ("find_logins", {}, things.login),
        ("show_login", {"id": things.login}, things.login),
        ("list_redactions", {}, "items"),
        ("show_problem", {"code": "not_found"}, "text"),
        ("show_history", some_hours, TOTALS),
        ("show_history", {"by": "app"}, APP),
        ("list_attention", {}, "items"),
        ("show_system", {}, "table"),
        ("show_webhooks", {**app, **since}, "receivers"),
        ("check_link_host", app, "checks"),
    ]


# Requests about SMS providers, likewise.
PROVIDERS = [
    ("list_providers", {}, "twilio"),
    ("show_provider", {"provider": "twilio"}, "twilio"),
]
# Readers' requests that no deployment on AWS answers.
ELSEWHERE = {"list_signing_keys", "list_openid_keys"}


def changing(things):
    """Requests that change something, send something or show a whole number."""
    app, one = {"app": APP}, {"id": things.delivered}
    return [
        ("create_app", {"app": "another", "settings": {"senders": ["+12025550142"]}}),
        ("update_app", {**app, "settings": {"code_prefix": "CON"}}),
        ("delete_app", app),
        ("issue_key", {**app, "test": False}),
        ("revoke_key", {**app, "key": things.key}),
        ("issue_client_secret", app),
        ("revoke_client_secret", {**app, "secret": things.secret}),
        ("add_association_key", {**app, "public_user_id": USER, "public_key": AssociationKey().public()}),
        ("revoke_association_key", {**app, "key": things.association_key}),
        ("revoke_user_keys", {**app, "public_user_id": USER}),
        ("cancel_phone_registration", {"id": things.registration}),
        ("rotate_signing_key", {}),
        ("rotate_openid_key", {}),
        ("reveal_number", {**one, "reason": "A customer asked"}),
        ("redeliver_webhook", one),
        ("redeliver_failed", {**app, "since": "2026-01-01T00:00:00Z"}),
        ("cancel_confirmation", {"id": things.open}),
        ("cancel_login", {"id": things.login}),
        ("redact_confirmation", one),
        ("repeat_redactions", {"redactions": [{**app, "confirmationId": things.delivered}]}),
        ("rotate_webhook_secret", app),
        ("retire_webhook_secret", app),
        ("replace_master_secret", {}),
        ("retire_master_secret", {}),
        ("test_provider", {"provider": "twilio"}),
    ]


def names(*requests):
    """Returns the names of requests."""
    return {name for several in requests for name, *_ in several}


def offered(page, requests):
    """Returns those of the requests that the console has for a table."""
    found = set(page.show("show_console")["requests"])
    return [request for request in requests if request[0] in found]


def unanswered(page, requests):
    """Yields the names of requests that do not show what the app has."""
    for name, request, part in offered(page, requests):
        if not shows(page.ask(name, request() if callable(request) else request), part):
            yield name


def some_hours():
    """Returns a period that was not asked for before, because the console keeps answers for a while."""
    at = datetime.now(UTC) - timedelta(days=next(DAYS) % 80 + 1)
    return {"from": at.isoformat(timespec="milliseconds").replace("+00:00", "Z")}


def shows(answer, part):
    return answer.status == 200 and part in answer.body.decode()


def test_policy_suffices_for_each_screen(deployment, reader, things):
    with console(deployment, "--read-only", **reader.credentials) as page:
        facts = page.show("show_console")
        assert facts["person"] == reader.arn
        # A new request needs a line above, and perhaps a right.
        assert set(facts["requests"]) <= names(reading(things), PROVIDERS) | ELSEWHERE
        assert list(unanswered(page, reading(things))) == []


def test_settings_of_providers_need_the_second_policy(deployment, person, policies):
    with console(deployment, "--read-only", **person.credentials) as page:
        requests = offered(page, PROVIDERS)
        person.grant(policies.reader)
        assert set(unanswered(page, requests)) == names(requests)
        person.grant([*policies.reader, *policies.providers])
        assert list(unanswered(page, requests)) == []


def limits_of(statement):
    """Returns a statement's single rights: an action on one resource, for one kind of items if it names kinds."""
    resources = statement["Resource"]
    for action in actions(statement):
        for resource in [resources] if isinstance(resources, str) else resources:
            for kind in kinds(statement) or [None]:
                condition = {"Condition": {"ForAllValues:StringLike": {LEADING_KEYS: [kind]}}} if kind else {}
                yield {"Effect": "Allow", "Action": action, "Resource": resource, **condition}


def needless(page, person, rights, others, requests):
    """Returns the rights without which every request is still answered."""
    found = []
    for right in rights:
        person.grant([*others, *(other for other in rights if other is not right)])
        if not any(unanswered(page, requests)):
            found.append(right)
    return found


def test_each_right_is_needed(deployment, reader, policies, things):
    rights = [one for statement in policies.reader for one in limits_of(statement)]
    with console(deployment, "--read-only", **reader.credentials) as page:
        reader.grant(rights)
        assert list(unanswered(page, reading(things))) == []
        assert needless(page, reader, rights, [], reading(things)) == []


def test_each_right_of_the_second_policy_is_needed(deployment, reader, policies):
    rights = [one for statement in policies.providers for one in limits_of(statement)]
    with console(deployment, "--read-only", **reader.credentials) as page:
        assert needless(page, reader, rights, policies.reader, PROVIDERS) == []


@pytest.fixture(scope="module")
def counted(deployment):
    """What the functions of this deployment, and of another one, sent to CloudWatch in an hour."""
    # CloudWatch takes values of two weeks.
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(days=13)
    counts = {"created": 9, "verified": 5, "miss_wrong_sender": 2, "miss_unknown": 8, "delivered": 4, "qr_confirmed": 3}
    cloudwatch = deployment.client("cloudwatch")
    for name, share in [(STACK, 1), ("another", 10)]:
        for minute in (0, 59):
            cloudwatch.put_metric_data(
                Namespace="Countersign",
                MetricData=[
                    {
                        "MetricName": metric,
                        "Dimensions": [{"Name": "Deployment", "Value": name}],
                        "Timestamp": hour + timedelta(minutes=minute),
                        "Value": count * share,
                        "Unit": "Count",
                    }
                    for metric, count in counts.items()
                ],
            )
    return hour


def history_of(page, hour):
    """Returns the history of the day that begins with an hour."""
    written = [at.isoformat().replace("+00:00", "Z") for at in (hour, hour + timedelta(days=1))]
    return page.show("show_history", {"from": written[0], "to": written[1]})


def test_totals_come_from_cloudwatch(deployment, reader, counted):
    with console(deployment, "--read-only", **reader.credentials) as page:
        history = history_of(page, counted)
    assert history["complete"] is True
    (hour,) = history["hours"]
    assert hour["at"] == counted.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    steps = ["started", "texted", "verified", "delivered", "loggedIn"]
    assert [hour[step] for step in steps] == [18, 14, 10, 8, 6]
    assert history["notes"][0]["code"] == "history_totals"


@pytest.mark.parametrize(
    ("action", "named"),
    [("cloudwatch:GetMetricData", "cloudwatch:GetMetricData"), ("dynamodb:ListTagsOfResource", "dynamodb:DescribeTable")],
)
def test_totals_that_are_refused_are_replaced_by_the_list(deployment, person, policies, counted, things, action, named):
    rights = [one for statement in policies.reader for one in limits_of(statement)]
    person.grant([right for right in rights if right["Action"] != action])
    with console(deployment, "--read-only", **person.credentials) as page:
        assert history_of(page, counted)["hours"] == []
        history = page.show("show_history")
    assert history["complete"] is False
    assert named in history["notes"][0]["sentence"]
    assert sum(hour["started"] for hour in history["hours"]) >= 2


def test_every_change_is_denied(deployment, administration, reader, things):
    items = [confirmation_key(one) for one in (things.delivered, things.open)]
    before = state_of(deployment, administration, items)
    # The page of this console offers everything, so only AWS denies it.
    with console(deployment, **reader.credentials) as page:
        found = set(page.show("show_console")["requests"])
        assert found <= names(changing(things), reading(things), PROVIDERS) | ELSEWHERE
        for name, request in offered(page, changing(things)):
            answer = page.ask(name, request)
            assert answer.status == 503, f"{name}: {answer.status} {answer.body}"
            said = answer.json()["message"]
            assert "AccessDenied" in said, f"{name}: {said}"
    assert state_of(deployment, administration, items) == before


def state_of(deployment, administration, items):
    """Returns what the changes would change, and the records of them."""
    return (
        administration.apps(),
        administration.keys(APP),
        administration.audit(APP),
        [deployment.lookup(deployment.table, key) for key in items],
    )


PARTITIONS = (
    "APP#x", "APPKEY#x", "KEY#x", "KEYUSE#x", "HOST#x", "PROFILE", "CFM#0", "QR#0", "AKEY#x", "AOWNER#x", "AUDIT",
    "SEEN#x", "NONCE#0", "PHR#0", "PHOWNER#x",
)
# The partitions that the console reads, by operation. It writes none.
MAY = {
    "get_item": {"APP#x", "KEYUSE#x", "CFM#0", "QR#0", "AKEY#x", "AOWNER#x", "PHR#0", "PHOWNER#x"},
    "query": {"AUDIT"},
}


@pytest.mark.parametrize("operation", ["get_item", "query", "scan", "put_item", "update_item", "delete_item"])
def test_other_tools_reach_no_more(deployment, reader, operation):
    """Another tool has the same credentials."""
    dynamodb = reader.client(deployment, "dynamodb")
    never = {"ConditionExpression": "attribute_exists(nothing)"}
    allowed = set()
    for partition in PARTITIONS:
        key = {"pk": {"S": partition}, "sk": {"S": "NOTHING"}}
        arguments = {
            "get_item": {"Key": key},
            "query": {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": key["pk"]}},
            "scan": {},
            "put_item": {"Item": key, **never},
            "update_item": {"Key": key, **never},
            "delete_item": {"Key": key, **never},
        }
        try:
            getattr(dynamodb, operation)(TableName=deployment.table, **arguments[operation])
            allowed.add(partition)
        except dynamodb.exceptions.ClientError as error:
            assert error.response["Error"]["Code"] == "AccessDeniedException"
    assert allowed == MAY.get(operation, set())


@pytest.mark.parametrize(
    ("service", "operation", "arguments"),
    [
        ("secretsmanager", "get_secret_value", {"SecretId": STACK}),
        ("cloudwatch", "list_metrics", {}),
        ("dynamodb", "list_tables", {}),
        ("kms", "list_keys", {}),
        ("lambda", "list_functions", {}),
        ("sqs", "list_queues", {}),
        ("iam", "list_users", {}),
    ],
)
def test_other_services_are_closed(deployment, reader, service, operation, arguments):
    client = reader.client(deployment, service)
    with pytest.raises(client.exceptions.ClientError, match="AccessDenied|not authorized"):
        getattr(client, operation)(**arguments)
