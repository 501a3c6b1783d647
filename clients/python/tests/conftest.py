import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.harness import Harness
from support.receiver import Receiver
from support.service import RealService, skipped
from support.stub import Stub


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(params=["sync", "async"])
def harness(request: pytest.FixtureRequest) -> Iterator[Harness]:
    harness = Harness(request.param)
    yield harness
    harness.close()


@pytest.fixture
def stub() -> Iterator[Stub]:
    stub = Stub()
    yield stub
    stub.close()


@pytest.fixture
def client(harness: Harness, stub: Stub) -> Any:
    """A client of the stub, whose clock is right."""
    stub.time = harness.world.time
    return harness.client(stub.url)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealService]:
    program = os.environ.get("COUNTERSIGN_BIN")
    if not program:
        skipped("Python library with the real service", "COUNTERSIGN_BIN is not set")
        pytest.skip("COUNTERSIGN_BIN is not set")
    service = RealService(str(Path(program).resolve()), tmp_path_factory.mktemp("service"))
    yield service
    service.stop()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()
