"""Tests that every function has a sample event in functions/events, and answers it as the page says."""

import json

import pytest

from deployment import FUNCTIONS, ROOT, STACK

EVENTS = ROOT / "functions" / "events"
# The answers of functions whose stack has no such key, app, session or secret.
STATUS = {
    "acquire": 401,
    "confirm": 401,
    "confirmations": 401,
    "inbound-sms": 401,
    "well-known": 200,
    "qr-session": 401,
    "browser-socket": 200,
    "association-keys": 401,
    "openid": 200,
}


def test_every_function_has_an_event():
    assert {path.stem for path in EVENTS.glob("*.json")} == set(FUNCTIONS)


@pytest.mark.parametrize("name", sorted(path.stem for path in EVENTS.glob("*.json")))
def test_function_answers_its_event(deployment, begun, login_apps, name):
    answer = deployment.client("lambda").invoke(
        FunctionName=f"{STACK}-{name}:live", Payload=(EVENTS / f"{name}.json").read_bytes()
    )
    said = json.loads(answer["Payload"].read())
    assert "FunctionError" not in answer, said
    if name == "dispatcher":
        # The pointer has no pending webhook, so it is done.
        assert said == {"batchItemFailures": []}
    elif name == "origin-check":
        # This is another deployment's secret.
        assert said == {"isAuthorized": False}
    elif name not in ("inbound-sns", "sweeper"):
        assert said["statusCode"] == STATUS[name], said
