"""Tests that the dispatcher signs with a local key, by the steps of docs/operations.md."""

import base64

from account import Account
from administration import Administration
from deployment import STACK
from service import SENDER, Service


def in_base64(value):
    return base64.b64encode(value).decode()


def test_local_key_is_published_and_then_signs_without_kms(account: Account, receiver):
    account.ensure_deployed()
    kms, before = account.client("kms"), account.keys()
    wrapper = kms.create_key()["KeyMetadata"]["Arn"]
    pair = kms.generate_data_key_pair_without_plaintext(
        KeyId=wrapper, KeyPairSpec="ECC_NIST_P256", EncryptionContext={"countersign": STACK}
    )
    account.deploy(LocalPublicKeys=in_base64(pair["PublicKey"]))
    *others, new = account.keys()
    assert others == before
    key = in_base64(pair["PrivateKeyCiphertextBlob"])
    account.deploy(LocalKey=key, LocalKeyWrapperArn=wrapper)
    assert account.keys() == [new, *before]

    service = Service(account, Administration(account).create_app("local", SENDER))
    url = receiver.new_url()
    session = service.acquire(url)
    with account.without("dispatcher", "kms:Sign"):
        service.text(session)
        webhook, = receiver.wait_for(url)
    assert webhook.headers["x-signature-key-id"] == new
    service.verify(webhook)

    # It is decrypted when the dispatcher starts; no other function may do so.
    session = service.acquire(url)
    with account.without("dispatcher", "kms:Decrypt"):
        account.restart("dispatcher")
        service.text(session)
        state = service.until_attempted(session, 1)
        assert state["delivery"]["attempts"][0]["failure"] == "signing_failed"
    service.verify(receiver.wait_for(url, 2)[1])
