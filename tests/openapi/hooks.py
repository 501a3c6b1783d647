"""Tells schemathesis what no description can express: possible numbers and addresses, credentials, and
ids of existing sessions.

Uses only what an integrator has, too: the contents of `demo.json`, and a test key.
"""

import json
import os
import secrets

import requests
import schemathesis
from hypothesis import strategies as st
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.core.parameters import ParameterLocation as Location
from schemathesis.generation.meta import TestPhase
from schemathesis.openapi.checks import (
    AuthScenario,
    IgnoredAuth,
    MissingHeaderNotRejected,
    RejectedPositiveData,
)

from service import NOWHERE, Service

SERVICE = Service(json.loads(os.environ["COUNTERSIGN_FACTS"]))

ASCII = st.characters(codec="ascii")
# Only some numbers are possible, according to libphonenumber's tables.
schemathesis.openapi.format(
    "phone",
    st.builds(
        str.__add__,
        st.sampled_from(["+1202555", "+1 (202) 555-", "+1.202.555."]),
        st.from_regex(r"\A0[0-9]{3}\Z", alphabet=ASCII),
    ),
)
# `callbackUrl` only accepts https URLs of public hosts and, in local mode, loopback.
schemathesis.openapi.format(
    "uri",
    st.builds(
        str.__add__,
        st.sampled_from([NOWHERE, "https://shop.example", "https://Shop.example:8443"]),
        st.from_regex(r"\A(/[a-zA-Z0-9._~-]{0,20})?(\?[a-z=&0-9]{0,20})?\Z", alphabet=ASCII),
    ),
)

# Codes with which the server may refuse a request that matches the description. They depend on earlier requests, on
# limits that JSON Schema cannot express (bytes, number literals), on tables (public addresses, possible numbers,
# calling codes, countries, languages, visible characters), on the calendar (UTC, not before 1970), on the app's
# settings (refused number types), or on cryptography (points on the curve, signatures).
BEYOND_DESCRIPTION = {
    "association_key_malformed",
    "body_too_large",
    "callback_address_forbidden",
    "context_malformed",
    "country_malformed",
    "idempotency_key_reused",
    "key_signature_false",
    "language_malformed",
    "metadata_number_inexact",
    "metadata_too_deep",
    "metadata_too_large",
    "number_type_refused",
    "passkey_false",
    "passkey_malformed",
    "payload_too_long",
    "payload_unsuitable",
    "phone_number_not_international",
    "phone_number_not_national",
    "phone_number_not_possible",
    "return_token_malformed",
    "return_url_not_allowed",
    "public_user_id_malformed",
    "query_malformed",
    "session_expired",
    "session_over",
}

# Creates, for each operation, a session in a state that the operation accepts, and returns its id.
READY = {
    "getConfirmation": lambda: SERVICE.start()["confirmationId"],
    "cancelConfirmation": lambda: SERVICE.start()["confirmationId"],
    "redactConfirmation": lambda: SERVICE.verify()["confirmationId"],
    "redeliverWebhook": lambda: SERVICE.verify()["confirmationId"],
    "getConfirmationStatus": lambda: SERVICE.show()["confirmationId"],
    "getSession": SERVICE.open,
    "cancelSession": SERVICE.open,
    "initiateSession": SERVICE.open,
    "confirmSession": SERVICE.scan,
    "denySession": SERVICE.scan,
    "redeemSession": SERVICE.confirm,
    "checkSession": SERVICE.open_by_server,
    "getPhoneRegistration": SERVICE.register_phone,
    "cancelPhoneRegistration": SERVICE.register_phone,
    "openPhoneRegistration": SERVICE.register_phone,
    "signPhoneRegistration": SERVICE.open_registration,
    "checkPhoneRegistration": SERVICE.register_phone,
    "expireSession": lambda: SERVICE.open_by_server("testApiKey"),
}


def operation_id(case):
    """Returns the operation's id in the description."""
    return case.operation.definition.raw["operationId"]


def is_as_described(case, place):
    """Returns whether this part of a request was generated to be valid."""
    part = case.meta and case.meta.components.get(place)
    return part is None or part.mode.is_positive


@schemathesis.auth(refresh_interval=None)
class Keys:
    """The demo app's keys, and the tokens of the login that the path names."""

    def get(self, case, _context):
        """Returns the headers, and gives every second request the id of an existing session. Requests
        made by a link have an id already."""
        ready = READY.get(operation_id(case))
        is_linked = case.meta and case.meta.phase.name is TestPhase.STATEFUL
        if ready and not is_linked and is_as_described(case, Location.PATH):
            if SERVICE.every_second_time():
                case.path_parameters["id"] = ready()
        login = case.path_parameters.get("id")
        is_of_tests = operation_id(case) in {"simulateText", "expireSession"}
        known = {
            "apiKey": {"x-api-key": SERVICE.facts["testApiKey" if is_of_tests else "apiKey"]},
            "appKey": {"x-app-key": SERVICE.facts["appKey"]},
            "clientToken": SERVICE.as_page(login),
            "browserToken": SERVICE.as_browser(login),
            "pageToken": SERVICE.as_watcher(login),
            "mobileToken": SERVICE.as_phone(login),
            "setupPageToken": SERVICE.as_setup_page(login),
            "setupPhoneToken": SERVICE.as_phone(login),
        }
        headers = {}
        # If there are several ways to authenticate, the first one.
        for scheme in case.operation.definition.raw.get("security", [])[:1]:
            for name in scheme:
                headers |= known[name]
        return headers

    def set(self, case, data, _context):
        """Adds the headers to the request."""
        case.headers.update(data)


def sign(case):
    """Signs a text as a provider does."""
    url = SERVICE.facts["url"]
    kwargs = case.as_transport_kwargs(base_url=url)
    wanted = {name: kwargs[name] for name in ("json", "data") if name in kwargs}
    body = requests.Request("POST", url, **wanted).prepare().body or b""
    body = body.encode() if isinstance(body, str) else body
    case.headers.update(SERVICE.signed(case.headers["webhook-id"], body))


def add_salt(body):
    """Adds the salt that a readable payload with a proof needs."""
    if isinstance(body, dict) and body.get("proof") and not body.get("encrypted"):
        body["salt"] = body.get("salt") or 22 * "A"


@schemathesis.hook
def before_call(_context, case, _kwargs):
    """Gives requests with valid headers the right origin, signature and idempotency key."""
    if not is_as_described(case, Location.HEADER):
        return
    match operation_id(case):
        case "createSession" if "Origin" in case.headers:
            case.headers["Origin"] = SERVICE.facts["url"]
        case "confirmSession" if is_as_described(case, Location.BODY):
            add_salt(case.body)
        case "receiveText" if "webhook-id" in case.headers:
            if is_as_described(case, Location.BODY) and SERVICE.every_second_time():
                case.body |= SERVICE.text(SERVICE.start()["confirmationMessage"])
            sign(case)
        case "simulateText" if is_as_described(case, Location.BODY):
            if SERVICE.every_second_time():
                case.body |= SERVICE.text(SERVICE.start("testApiKey")["confirmationMessage"])
        case "acquirePhoneNumber" | "makeConfirmation":
            length = len(case.headers.get("Idempotency-Key", ""))
            if length >= 8:
                case.headers["Idempotency-Key"] = secrets.token_hex(128)[:length]


@schemathesis.hook
def after_call(_context, case, response):
    """Stores the browser tokens of logins that schemathesis created."""
    opens = operation_id(case) == "createSession" and case.method == "POST"
    if opens and response.status_code == 200:
        token = {"Authorization": response.request.headers["Authorization"]}
        SERVICE.opened(response.json(), token)


@schemathesis.hook
def filter_failure(_context, failure, case, response):
    """Ignores four kinds of failures: bodies that are too large to be judged, refusals that no description can express, a
    400 for two kinds of credentials, whichever other header is missing, and a 404 for a wrong token, which hides from
    strangers whether a login, a confirmation or a phone registration exists."""
    if isinstance(failure, RejectedPositiveData):
        return response.json().get("code") not in BEYOND_DESCRIPTION
    # A body that is too large is not read, whatever else is wrong with it.
    if isinstance(failure, AcceptedNegativeData):
        return response.json().get("code") != "body_too_large"
    if isinstance(failure, MissingHeaderNotRejected):
        return response.json().get("code") != "credentials_ambiguous"
    if isinstance(failure, IgnoredAuth) and failure.scenario is AuthScenario.INVALID_AUTH:
        hiding = ("/qr-sessions/{id}", "/confirmation-status/{id}", "/phone-registrations/{id}")
        hides = case.operation.path.startswith(hiding)
        return not (hides and "got `404 Not Found`" in failure.message)
    return True
