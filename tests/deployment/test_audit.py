"""Tests that administration with the rights of docs/operations.md is recorded under the administrator's name."""

import itertools
import json
import re
from types import SimpleNamespace

import pytest

import http_api
from administration import Administration
from deployment import LEADING_KEYS, ROOT, actions, kinds
from proofs import AssociationKey
from service import SENDER
from users import User

PAGE = ROOT / "docs" / "operations.md"
NAME = "anna"
# Each app has its own number, which widens the profile of all apps.
NUMBERS = itertools.count(5550200)


@pytest.fixture(scope="module")
def anna(deployment):
    """An administrator with the rights that the page lists, as a user of the account."""
    page = PAGE.read_text(encoding="utf-8")
    policy = re.search(r"### Administrators.*?```json\n(.*?)```", page, re.DOTALL)[1]
    table = deployment.client("dynamodb").describe_table(TableName=deployment.table)["Table"]["TableArn"]
    statements = json.loads(policy.replace("TABLE_ARN", table))["Statement"]
    user = User(deployment.client, NAME, statements)
    commands = Administration(deployment, **user.credentials)
    return SimpleNamespace(
        arn=user.arn, commands=commands, grant=user.grant, statements=statements, deployment=deployment
    )


def administer(deployment, commands, app):
    """Makes each kind of change, and returns what is recorded."""
    # The deployment's tags contain no number.
    assert "give a number" in commands.refused("app", "create", app)
    api_key = commands.create_app(app, f"+1202{next(NUMBERS)}")
    commands.update(app, max_open_logins=5, link_host=f"{app}.example", web_phone="on")
    headers = {"x-api-key": api_key}
    begun = http_api.call(deployment, "POST", "/phone-registrations", {"publicUserId": "zoe"}, headers)
    assert begun.status == 200, begun.body
    # From the second app on, the host is known.
    commands.update(app, link_host="audited-together.example", web_phone="off")
    _, key_id = commands.issue_key(app)
    commands.revoke_key(app, key_id)
    key, second = AssociationKey(), AssociationKey()
    commands.add_association_key(app, "zoe", key.public())
    commands.add_association_key(app, "zoe", second.public())
    commands.revoke_association_key(app, key.id)
    assert [one["publicUserId"] for one in commands.association_keys(app)] == ["zoe"]
    assert commands.revoke_user_keys(app, "zoe") == {"keyIds": [second.id], "cancelledRegistrations": 1}
    # The function may still be recording the use of the first one.
    _, unused = commands.keys(app)
    assert unused["lastUsedAt"] is None
    commands.apps()
    return [
        ("create_app", "refused"),
        ("create_app", "done"),
        ("update_app", "done"),
        ("update_app", "done"),
        ("issue_key", "done"),
        ("revoke_key", "done"),
        ("add_association_key", "done"),
        ("add_association_key", "done"),
        ("revoke_association_key", "done"),
        ("revoke_user_keys", "done"),
    ]


def test_each_change_is_recorded_under_the_name_of_who_made_it(anna, administration):
    done = administer(anna.deployment, anna.commands, "audited")
    refused = anna.commands.refused("app", "create", "audited", "--sender=+12025550199")
    assert "already exists" in refused
    records = administration.audit("audited")
    assert {record["by"] for record in records} == {anna.arn}
    told = [(record["action"], record["result"]) for record in reversed(records)]
    assert told == [*done, ("create_app", "refused")]
    administration.issue_key("audited")
    mine, *_ = anna.commands.audit("audited")
    assert mine["by"].endswith(":root")


def test_nothing_changes_without_a_record(anna):
    anna.commands.create_app("unaudited", SENDER)
    writing, reading, updating, *others = anna.statements
    before = anna.commands.keys("unaudited")
    anna.grant([without_audit(writing), reading, updating, *others])
    anna.commands.refused("key", "issue", "unaudited")
    assert anna.commands.keys("unaudited") == before
    # Here the change is made and reported, but its record has no end.
    anna.grant([writing, reading, without_audit(updating), *others])
    anna.commands.issue_key("unaudited")
    anna.grant(anna.statements)
    assert anna.commands.audit("unaudited")[0]["result"] == "unknown"


def without_audit(statement):
    """Returns a statement without the right to records."""
    kept = [kind for kind in kinds(statement) if kind != "AUDIT"]
    return {**statement, "Condition": {"ForAllValues:StringLike": {LEADING_KEYS: kept}}}


def test_administrator_needs_each_right(anna):
    """Takes each action on each kind of items away in turn: a change then fails, or its record has no end."""
    whole, unneeded = anna.statements, []
    for index, statement in enumerate(whole):
        limits = [(action, kind) for action in actions(statement) for kind in kinds(statement) or [None]]
        for number, limit in enumerate(limits):
            anna.grant([*whole[:index], *without(statement, limit), *whole[index + 1 :]])
            app = f"right-{index}-{number}"
            try:
                administer(anna.deployment, anna.commands, app)
                if all(record["result"] != "unknown" for record in anna.commands.audit(app)):
                    unneeded.append(limit)
            except AssertionError:
                pass
    anna.grant(whole)
    # The profile of all apps is created with the first app.
    assert unneeded == [("dynamodb:PutItem", "PROFILE")]


def without(statement, limit):
    """Returns what is left of a statement without an action on a kind of items: a statement for each action."""
    left = []
    for action in actions(statement):
        rest = [kind for kind in kinds(statement) or [None] if (action, kind) != limit]
        if rest and rest != [None]:
            condition = {"ForAllValues:StringLike": {LEADING_KEYS: rest}}
            left.append({**statement, "Action": action, "Condition": condition})
        elif rest:
            left.append({**statement, "Action": action})
    return left
