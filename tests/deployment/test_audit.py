"""Tests that administration with the rights of docs/operations.md is recorded under the administrator's name."""

import json
import re
from types import SimpleNamespace

import pytest

from administration import Administration
from deployment import ROOT, actions, kinds
from proofs import AssociationKey

PAGE = ROOT / "docs" / "operations.md"
NAME = "anna"


@pytest.fixture(scope="module")
def anna(deployment):
    """An administrator with the rights that the page lists, as a user of the account."""
    iam = deployment.client("iam")
    page = PAGE.read_text(encoding="utf-8")
    policy = re.search(r"### Administrators.*?```json\n(.*?)```", page, re.DOTALL)[1]
    table = deployment.client("dynamodb").describe_table(TableName=deployment.table)["Table"]["TableArn"]
    policy = json.loads(policy.replace("TABLE_ARN", table))
    user = iam.create_user(UserName=NAME)["User"]
    key = iam.create_access_key(UserName=NAME)["AccessKey"]

    def grant(statements):
        document = json.dumps({**policy, "Statement": statements})
        iam.put_user_policy(UserName=NAME, PolicyName="rights", PolicyDocument=document)

    grant(policy["Statement"])
    commands = Administration(
        deployment,
        AWS_ACCESS_KEY_ID=key["AccessKeyId"],
        AWS_SECRET_ACCESS_KEY=key["SecretAccessKey"],
    )
    return SimpleNamespace(
        arn=user["Arn"], commands=commands, grant=grant, statements=policy["Statement"]
    )


def administer(commands, app):
    """Makes each kind of change, and returns the actions that are recorded for them."""
    created = commands.create_app(app, None)
    assert created.startswith("cs_live_")
    commands.update(app, max_open_logins=5)
    _, key_id = commands.issue_key(app)
    commands.revoke_key(app, key_id)
    key = AssociationKey()
    commands.add_association_key(app, "zoe", key.public())
    commands.revoke_association_key(app, key.id)
    commands.apps()
    return [
        "create_app",
        "update_app",
        "issue_key",
        "revoke_key",
        "add_association_key",
        "revoke_association_key",
    ]


def test_each_change_is_recorded_under_the_name_of_who_made_it(anna, administration):
    done = administer(anna.commands, "audited")
    refused = anna.commands.refused("app", "create", "audited", "--sender=+12025550199")
    assert "already exists" in refused
    records = administration.audit("audited")
    assert {record["by"] for record in records} == {anna.arn}
    told = [(record["action"], record["result"]) for record in reversed(records)]
    assert told == [(action, "done") for action in done] + [("create_app", "refused")]
    administration.issue_key("audited")
    mine, *_ = anna.commands.audit("audited")
    assert mine["by"].endswith(":root")


def test_nothing_changes_without_a_record(anna):
    anna.commands.create_app("unaudited", None)
    items, *others = anna.statements
    for action in ("dynamodb:PutItem", "dynamodb:UpdateItem"):
        kept = [kind for kind in kinds(items) if kind != "AUDIT"]
        reading = [other for other in actions(items) if other != action]
        with_kinds = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": kept}}
        anna.grant([{**items, "Action": reading}, {**items, "Condition": with_kinds}, *others])
        before = anna.commands.keys("unaudited")
        if action == "dynamodb:PutItem":
            anna.commands.refused("key", "issue", "unaudited")
            assert anna.commands.keys("unaudited") == before
        else:
            # The change is made and told, and its record has no end.
            anna.commands.issue_key("unaudited")
            assert anna.commands.audit("unaudited")[0]["result"] == "unknown"
    anna.grant(anna.statements)


def test_administrator_needs_each_right(anna):
    """Takes each action on each kind of items away in turn: one of the changes then fails."""
    whole = anna.statements
    for index, statement in enumerate(whole):
        limits = [(action, kind) for action in actions(statement) for kind in kinds(statement) or [None]]
        for number, (action, kind) in enumerate(limits):
            if kind == "AUDIT" and action == "dynamodb:UpdateItem":
                # The test above shows what is missing then.
                continue
            rest = [limit for limit in limits if limit != (action, kind)]
            anna.grant([*whole[:index], *map(right_to(statement), rest), *whole[index + 1 :]])
            with pytest.raises(AssertionError, match="countersign"):
                administer(anna.commands, f"right-{index}-{number}")
                anna.commands.audit("audited")
    anna.grant(whole)


def right_to(statement):
    """Returns a function that makes the statement of one action on one kind of items."""

    def one(limit):
        action, kind = limit
        made = {**statement, "Action": action}
        if kind:
            made["Condition"] = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [kind]}}
        return made

    return one
