"""Fixtures of the deployment tests, which share one deployment. `make test` runs them. CONTRIBUTING.md
lists what they need."""

import os
from types import SimpleNamespace

import pytest

import deployment as deploying
import waiting
from account import CERTIFICATE, DOMAIN, EXECUTIONS, Account
from administration import Administration
from carriers import Carriers
from checkout import Checkout
from counting_proxy import CountingProxy, proxied_emulator
from deployer import Deployer
from deployment import Deployment, confirmation_key
from emulator import Emulator
from receiver import Receiver
from providers import Providers
from service import SENDER, Service, sent

APP = "shop"
# SHA-256 of a certificate, in Android's format.
FINGERPRINT = ":".join(f"{byte:02X}" for byte in range(32))


@pytest.fixture(scope="session")
def proxy():
    """The proxy between the functions and the services that they call."""
    running = CountingProxy()
    yield running
    running.close()


@pytest.fixture(scope="session")
def built():
    """The directory that holds the built template and functions."""
    deploying.build()
    return deploying.BUILT


@pytest.fixture(scope="session")
def deployment(built, proxy):
    """The template, built and deployed."""
    emulator = Emulator(functions_call=proxy.url)
    try:
        proxy.upstream = ("127.0.0.1", emulator.port)
        deployed = Deployment(emulator, built)
        proxy.lookup, proxy.describe = deployed.lookup, deployed.describe
        yield deployed
    finally:
        if kept := os.environ.get("COUNTERSIGN_EMULATOR_LOG"):
            with open(kept, "wb") as copy:
                copy.write(emulator.log.read_bytes())
        emulator.close()


@pytest.fixture(scope="session")
def account(built, tmp_path_factory):
    """A new account, with an environment that nothing has deployed yet. Its deployer has few rights."""
    with proxied_emulator(LAMBDA_ACCOUNT_CONCURRENCY=str(EXECUTIONS)) as emulator:
        deployer = Deployer(emulator.client)
        checkout = Checkout(
            tmp_path_factory.mktemp("operator") / "checkout",
            COUNTERSIGN_BUILT=str(built),
            AWS_ENDPOINT_URL=emulator.url,
            **deployer.credentials,
        )
        checkout.add("production")
        checkout.hand_over("production", deployer.bucket, deployer.role)
        checkout.set("production", DomainName=DOMAIN, CertificateArn=CERTIFICATE)
        yield Account(emulator, checkout, deployer)


@pytest.fixture(scope="session")
def carriers(deployment, proxy):
    """The service that looks carriers up."""
    standing_in = Carriers(deployment)
    proxy.stand_ins["sms-voice"] = standing_in.answer
    return standing_in


@pytest.fixture(scope="session")
def administration(deployment):
    """The operator's commands on the deployed table."""
    return Administration(deployment)


@pytest.fixture(scope="session")
def login_apps(administration, receiver):
    """Apps for logins, named after what is special about each. All are created before the first login,
    because the functions cache the list of apps for some seconds."""

    def made(name, url=None, **settings):
        host, origin = f"login.{name}.example", f"https://{name}.example"
        # Most tests need no encryption. Browsers with a key are also tested.
        settings["payload_encryption"] = "optional"
        if url:
            settings["login_callback"] = url
        created = administration.create_login_app(name, origin=origin, link_host=host, **settings)
        key, api_key = created
        return SimpleNamespace(key=key, api_key=api_key, host=host, origin=origin, url=url)

    return SimpleNamespace(
        plain=made("plain"),
        mobile=made(
            "mobile",
            android=f"com.example.mobile={FINGERPRINT}",
            ios="ABCDE12345.com.example.mobile",
        ),
        # The first attempt of each login's webhook fails.
        notified=made("told", receiver.new_url(500, 200, 500)),
        rights=made("rights", receiver.new_url()),
        # Their servers register association keys.
        known=made("known", receiver.new_url()),
        strict=made("strict", require_proof="true"),
        closed=made("closed", logins_from="server"),
        # Their users may have phones without an app.
        phones=made("phones", receiver.new_url(), web_phone="on"),
        passkeys=made("passkeys", web_phone="on", web_phone_key="passkey"),
        # Its server is down for the first webhook.
        phones_down=made("phones-down", receiver.new_url(503), web_phone="on"),
        counted=made("counted-logins"),
        counted_proven=made("counted-proven"),
        counted_notified=made("counted-told", receiver.new_url()),
        counted_phones=made("counted-phones", web_phone="on"),
        counted_phones_notified=made("counted-phones-told", receiver.new_url(), web_phone="on"),
    )


@pytest.fixture(scope="session")
def receiver():
    """The receiver of all webhooks."""
    running = Receiver()
    yield running
    running.close()


@pytest.fixture(scope="session")
def providers(deployment, administration):
    """SMS providers, turned on before the function for their texts starts."""
    return Providers(deployment, administration)


@pytest.fixture(scope="session")
def begun(deployment, administration, providers, receiver):
    """Starts, before any other use of the service, the processes that take up to a minute, so that they
    run while other tests do. `test_within_a_minute.py` checks their results."""
    service = Service(deployment, administration.create_app(APP, SENDER), providers)
    key, key_id = administration.issue_key(APP)
    revoked = Service(deployment, key, providers)
    # The function for texts has read its settings before they change.
    answer = providers.twilio(sent(service.acquire(receiver.new_url())))
    assert answer.status == 200, answer.body
    providers.rotate_twilio()
    url = receiver.new_url()
    # The function now has the key in its cache.
    revoked.acquire(url)
    administration.revoke_key(APP, key_id)

    session = service.acquire(url)
    # Otherwise, the sweep could find the webhook first if this takes long.
    with deployment.without_sweep():
        with deployment.without_reader("FirstAttempts"):
            service.text(session)
            service.until_verified(session)
            deployment.lose_message("FirstAttempts", session["confirmationId"])
        assert not receiver.received(url)
        deployment.make_due(confirmation_key(session["confirmationId"]))
    return SimpleNamespace(service=service, revoked=revoked, lost=session, lost_url=url)


@pytest.fixture(scope="session")
def rotated(begun, providers, receiver):
    """The providers, once the function takes texts that Twilio signs with its new auth token."""
    session = begun.service.acquire(receiver.new_url())

    def taken():
        return providers.twilio(sent(session), providers.new_twilio_token).status == 200

    waiting.until("a text with the new token", taken, within=waiting.MINUTES)
    return providers


@pytest.fixture(scope="session")
def service(begun):
    """The API, called with the key of an app."""
    return begun.service
