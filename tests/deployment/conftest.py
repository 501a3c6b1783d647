"""One deployment for all tests here. `make test` runs them; CONTRIBUTING.md says what they need."""

import os
from types import SimpleNamespace

import pytest

import deployment as deploying
from administration import Administration
from counting_proxy import CountingProxy
from deployment import Deployment, confirmation_key
from emulator import Emulator
from receiver import Receiver
from service import SENDER, Service

APP = "shop"


@pytest.fixture(scope="session")
def proxy():
    """What all calls of the functions to their services go through."""
    running = CountingProxy()
    yield running
    running.close()


@pytest.fixture(scope="session")
def deployment(proxy):
    """The template, built and deployed."""
    deploying.build()
    emulator = Emulator(functions_call=proxy.url)
    try:
        proxy.upstream = ("127.0.0.1", emulator.port)
        deployed = Deployment(emulator)
        proxy.look_up, proxy.describe = deployed.look_up, deployed.describe
        yield deployed
    finally:
        if kept := os.environ.get("COUNTERSIGN_EMULATOR_LOG"):
            with open(kept, "wb") as copy:
                copy.write(emulator.log.read_bytes())
        emulator.close()


@pytest.fixture(scope="session")
def administration(deployment):
    """An operator's work on the table."""
    return Administration(deployment)


@pytest.fixture(scope="session")
def receiver():
    """Where webhooks arrive."""
    running = Receiver()
    yield running
    running.close()


@pytest.fixture(scope="session")
def begun(deployment, administration, receiver):
    """What takes up to a minute by itself begins before every other use of the service, so that
    nothing waits for it: `test_within_a_minute.py` sees how it ended."""
    service = Service(deployment, administration.create_app(APP, SENDER))
    key, key_id = administration.issue_key(APP)
    revoked = Service(deployment, key)
    url = receiver.new_url()
    # Now the function remembers the key.
    revoked.acquire(url)
    administration.revoke_key(APP, key_id)

    session = service.acquire(url)
    with deployment.nobody_reads("FirstAttempts"):
        service.text(session)
        service.until_verified(session)
        deployment.lose_messages("FirstAttempts", 1)
    assert not receiver.received(url)
    deployment.set_time(confirmation_key(session["confirmationId"]), "due_at", 1)
    return SimpleNamespace(service=service, revoked=revoked, lost=session, lost_url=url)


@pytest.fixture(scope="session")
def service(begun):
    """The API, with the key of an app."""
    return begun.service
