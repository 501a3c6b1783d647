"""The order of the caller's record and the webhook, in which no verified number is lost."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from countersign import CountersignError, RecordMissingError
from support.harness import Harness
from support.signing import CONFIRMATION_ID, SigningKey, event
from support.stub import Answer, Stub

STARTED = Answer(body={"confirmationId": CONFIRMATION_ID, "phoneNumber": "+12025550100"})
SQL_STORE = Path(__file__).resolve().parent.parent / "examples" / "sql_store.py"


class Failure(Exception):
    pass


class Shop:
    """A client, and a handler that acts on the records of a shop."""

    def __init__(self, harness: Harness, stub: Stub, **options: Any) -> None:
        self._key = SigningKey()
        self._stub = stub
        stub.time = harness.world.time
        stub.routes["/.well-known/jwks.json"] = Answer(body={"keys": [self._key.jwk]})
        self._harness = harness
        self._confirmations = harness.client(stub.url, **options)
        self.records: dict[str, str | None] = {}
        self._handler = harness.webhook_handler(
            self._confirmations, on_verified=harness.callback(self._on_verified)
        )

    def _on_verified(self, event: Any) -> None:
        if event.confirmation_id not in self.records:
            raise RecordMissingError(event.confirmation_id)
        self.records[event.confirmation_id] = event.phone_number

    def record(self, started: Any) -> None:
        self.records[started.confirmation_id] = None

    def start(self, on_started: Callable[[Any], Any], call: str = "acquire", **request: Any) -> Any:
        self._stub.script.append(STARTED)
        start = getattr(self._confirmations.confirmations, call)
        return start(on_started=self._harness.callback(on_started), **request)

    def post(self) -> tuple[int, str]:
        reply = self._handler("POST", self._key.headers(event()), event())
        return reply.status, reply.body


@pytest.fixture
def shop(harness: Harness, stub: Stub) -> Shop:
    return Shop(harness, stub)


@pytest.mark.parametrize("call", ["acquire", "confirm"])
def test_record_is_written_before_the_call_returns(shop: Shop, stub: Stub, call: str) -> None:
    request = {} if call == "acquire" else {"phone_number": "(202) 555-0100", "country": "US"}
    started = shop.start(shop.record, call, **request)
    assert (started.confirmation_id, started.phone_number) == (CONFIRMATION_ID, "+12025550100")
    assert shop.records == {CONFIRMATION_ID: None}
    assert "onStarted" not in stub.asked[-1].json
    assert shop.post() == (200, "accepted")
    assert shop.records == {CONFIRMATION_ID: "+12025550100"}


def test_webhook_without_a_record_comes_again_until_it_is_there(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    shop.start(lambda _started: None)
    assert shop.post() == (503, "record missing")
    assert f"no record of {CONFIRMATION_ID}: write it in on_started" in caplog.text
    shop.records[CONFIRMATION_ID] = None
    assert shop.post() == (200, "accepted")
    assert shop.records == {CONFIRMATION_ID: "+12025550100"}
    assert shop.post() == (200, "already accepted")


def test_call_whose_record_cannot_be_written_raises_and_remembers_nothing(shop: Shop) -> None:
    def fail(_started: Any) -> None:
        raise Failure

    with pytest.raises(Failure):
        shop.start(fail, idempotency_key="order-17")
    assert shop.post() == (404, "unknown confirmation")
    shop.start(shop.record, idempotency_key="order-17")
    assert shop.post() == (200, "accepted")
    # The record of a repeated call would replace the verified one.
    shop.start(fail, idempotency_key="order-17")
    assert shop.records == {CONFIRMATION_ID: "+12025550100"}


def test_record_and_id_are_one_transaction_of_the_store(stub: Stub) -> None:
    scope: dict[str, Any] = {"__name__": "sql_store"}
    exec(compile(SQL_STORE.read_text(encoding="utf-8"), "sql_store", "exec"), scope)
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE waiting (id TEXT PRIMARY KEY)")
    harness = Harness("sync")
    shop = Shop(harness, stub, store=scope["SqlStore"](database))

    def insert(started: Any) -> None:
        database.execute("INSERT INTO waiting VALUES (?)", (started.confirmation_id,))

    def insert_and_fail(started: Any) -> None:
        insert(started)
        raise Failure

    def count() -> int:
        return int(database.execute("SELECT count(*) FROM waiting").fetchone()[0])

    with pytest.raises(Failure):
        shop.start(insert_and_fail)
    assert [count(), shop.post()] == [0, (404, "unknown confirmation")]
    shop.start(insert)
    assert count() == 1
    harness.close()
    database.close()


@pytest.mark.parametrize(
    ("result", "message"), [(None, "whether the id is new"), (True, "await it in remember")]
)
def test_store_that_does_not_run_the_act_is_refused(
    harness: Harness, stub: Stub, result: bool | None, message: str
) -> None:
    class Idle:
        def remember(self, id: str, ttl_seconds: int, act: Any) -> bool | None:
            return result

        def accept(self, id: str, act: Any) -> str:
            return "unknown"

    shop = Shop(harness, stub, store=Idle())
    with pytest.raises(CountersignError, match=message):
        shop.start(shop.record)


def test_callback_is_checked_before_anything_is_started(harness: Harness, client: Any, stub: Stub) -> None:
    async def later(_started: Any) -> None: ...

    for wrong in ("write", lambda: None, 7 if harness.asynchronous else later):
        with pytest.raises(ValueError, match="on_started"):
            client.confirmations.acquire(on_started=wrong)
    assert stub.asked == []
