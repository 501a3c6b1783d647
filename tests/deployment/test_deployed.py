"""Tests of the stack after `sam deploy`: roles, routes, metrics, logs and the table's expiry."""

import base64
import gzip
import json
import socket
from pathlib import Path

import pytest

import deployment as deploying
from deployment import FUNCTIONS
from service import PHONE


def test_every_function_has_its_own_role(deployment):
    roles = {deployment.role(function) for function in FUNCTIONS}
    assert len(roles) == len(FUNCTIONS)


def test_table_expires_items_by_the_ttl_attribute(deployment):
    found = deployment.client("dynamodb").describe_time_to_live(TableName=deployment.table)
    assert found["TimeToLiveDescription"] == {
        "TimeToLiveStatus": "ENABLED",
        "AttributeName": "ttl",
    }


def test_health_check_answers_ok(service):
    answer = service.call("GET", "/healthz")
    assert (answer.status, answer.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize("query", ["a=<b", "a=>", 'a="', "a=%", "{a}", "|"])
def test_request_of_a_stranger_is_no_error_of_ours(deployment, service, query):
    # As bytes, because a program in between could encode them.
    host, port, name = deployment.api()
    with socket.create_connection((host, port)) as connection:
        request = f"GET /healthz?{query} HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode())
        answer = connection.makefile("rb").read()
    status = int(answer.split()[1])
    assert status in (200, 400), answer
    assert status == 200 or b"malformed" in answer
    assert "panicked" not in deployment.log()


def test_openapi_description_matches_the_committed_one(service):
    answer = service.call("GET", "/openapi.json")
    committed = Path(deploying.ROOT, "docs", "openapi.json").read_text(encoding="utf-8")
    assert answer.status == 200
    assert answer.json() == json.loads(committed)


def test_reference_is_the_committed_page(service):
    committed = Path(deploying.ROOT, "docs", "reference.html").read_bytes()
    answer = service.call("GET", "/reference")
    assert (answer.status, answer.body) == (200, committed)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
    packed = service.call("GET", "/reference", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == committed
    again = service.call("GET", "/reference", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status == 304


def test_problem_leads_browsers_to_the_reference(service):
    answer = service.call("GET", "/problems/not_found", headers={"Accept": "text/html"})
    assert (answer.status, answer.headers["location"]) == (303, "../reference#not_found")


def test_key_set_holds_the_public_key(service):
    answer = service.call("GET", "/.well-known/jwks.json")
    assert answer.status == 200
    key, = answer.json()["keys"]
    numbers = service.public_key().public_numbers()
    assert (key["kty"], key["crv"], key["alg"]) == ("EC", "P-256", "ES256")
    assert (key["x"], key["y"]) == (coordinate(numbers.x), coordinate(numbers.y))


def coordinate(number):
    """Encodes a coordinate of a public key as a key set does."""
    return base64.urlsafe_b64encode(number.to_bytes(32)).decode().rstrip("=")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing-here", 404, "not_found"),
        ("PUT", "/acquire-phone-number", 405, "method_not_allowed"),
        ("POST", "/healthz", 405, "method_not_allowed"),
        ("GET", f"/confirmations/cfm_{32 * '0'}", 404, "confirmation_not_found"),
    ],
)
def test_unknown_route_method_or_confirmation_gets_a_problem(service, method, path, status, code):
    answer = service.call(method, path)
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == code
    assert answer.json()["requestId"]


@pytest.mark.parametrize("key", ["", "cs_live_nonsense"])
def test_request_without_a_valid_api_key_is_refused(service, key):
    answer = service.call("POST", "/acquire-phone-number", {}, {"x-api-key": key})
    assert answer.status == 401
    assert answer.headers["content-type"] == "application/problem+json"


def test_metrics_carry_the_deployment_as_dimension(deployment, service, receiver):
    service.acquire(receiver.new_url())
    line = next(line for line in deployment.lines("acquire") if line.get("created"))
    assert line["Deployment"] == deploying.STACK
    directive, = line["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == "Countersign"
    assert directive["Dimensions"] == [["Deployment"]]
    assert {"Name": "created", "Unit": "Count"} in directive["Metrics"]


def test_logs_hold_no_secret(deployment, service, receiver):
    url = receiver.new_url()
    session = service.acquire(url, {"secret": "in the metadata"})
    service.text(session)
    service.until_delivered(session)
    written = json.dumps([deployment.lines(function) for function in FUNCTIONS])
    assert session["confirmationId"] in written
    for secret in (session["confirmationMessage"], service.api_key, PHONE, "in the metadata"):
        assert secret not in written
