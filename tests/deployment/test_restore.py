"""Tests that the commands of docs/operations.md restore the table, while texts arrive."""

import contextlib

import waiting
from administration import Administration
from deployer import FOR_OPENID, UNASKED
from deployment import actions, confirmation_key
from service import PHONE, Service, sent
from providers import Providers

RESTORED = "countersign-restored"


def uses(account, table):
    """Returns whether all functions with a table use this one."""
    functions, before = account.client("lambda"), []
    for found in functions.list_functions()["Functions"]:
        live = functions.get_function_configuration(FunctionName=found["FunctionName"], Qualifier="live")
        before.append(live["Environment"]["Variables"].get("COUNTERSIGN_TABLE", table))
    return set(before) == {table}


def test_restored_table_has_what_was_acknowledged(account, receiver, tmp_path):
    account.ensure_deployed()
    administration = Administration(account)
    former = account.table
    service = Service(account, administration.create_app("shop", "+12025550199"))
    service = Service(account, service.api_key, Providers(account, administration))
    # The second receiver is down at first.
    urls = [receiver.new_url(), receiver.new_url(*[500] * 4), receiver.new_url()]
    delivered, owed, opened = sessions = [service.acquire(url) for url in urls]
    service.text(delivered)
    service.until_delivered(delivered)
    service.text(owed)
    service.until_attempted(owed, 1)

    account.run_page("Backup and restore", tmp_path)
    dynamodb, key = account.client("dynamodb"), confirmation_key(owed["confirmationId"])
    assert "due_at" in dynamodb.get_item(TableName=RESTORED, Key=key)["Item"]
    # It exists only in the former table.
    late = service.acquire(receiver.new_url())
    assert service.call("POST", f"/confirmations/{delivered['confirmationId']}/redact").status == 200
    account.deploy(ExistingTableName=RESTORED)
    assert account.table == RESTORED and uses(account, RESTORED)
    assert [service.state(session)["status"] for session in sessions] == ["verified", "verified", "open"]
    assert service.call("GET", f"/confirmations/{late['confirmationId']}").status == 404

    # Data that was erased in the meantime is back, and is erased again.
    assert service.state(delivered)["phoneNumber"] == PHONE
    erased = [{"app": "shop", "confirmationId": delivered["confirmationId"]}]
    assert administration.repeat_redactions(erased) == {"redacted": 1, "unknown": 0, "toRepeatLater": []}
    assert "phoneNumber" not in service.state(delivered)

    # Texts and webhooks continue, in both ways, and the settings of providers are found.
    assert service.text_over_http(opened).status == 200
    receiver.wait_for(urls[2])

    def settled():
        # An attempt may change the item in the meantime.
        with contextlib.suppress(dynamodb.exceptions.ConditionalCheckFailedException, KeyError):
            account.make_due(key)
        account.sweep()
        return service.state(owed)["delivery"]["status"] == "delivered"

    waiting.until("the webhook that the restored table owes", settled)
    came = receiver.received(urls[1])
    assert len({(webhook.headers["webhook-id"], webhook.body) for webhook in came}) == 1
    assert len(receiver.received(urls[0])) == 1
    assert set(administration.providers()) >= {"twilio", "generic"}
    table = dynamodb.describe_table(TableName=RESTORED)["Table"]
    assert table["DeletionProtectionEnabled"]
    for capped in (table, *table["GlobalSecondaryIndexes"]):
        assert capped["OnDemandThroughput"] == {"MaxReadRequestUnits": 2000, "MaxWriteRequestUnits": 2000}

    # And back to the table that the stack created, which was retained.
    account.deploy(ExistingTableName=former)
    assert account.table == former and uses(account, former)
    assert service.state(late)["status"] == "open"
    assert service.text_over_http(late).status == 200
    assert service.state(opened)["status"] == "open"
    assert sent(opened)["to"] == "+12025550199"


def test_deployer_used_each_of_its_rights(account):
    """All deployments of this account are made with them. That of a restored table takes the most, and
    `test_openid_operations.py` has those of the OpenID provider."""
    granted = {
        action
        for statement in account.deployer.statements
        for action in actions(statement)
    }
    assert account.rights_of(account.deployer) - FOR_OPENID == granted - UNASKED - FOR_OPENID
