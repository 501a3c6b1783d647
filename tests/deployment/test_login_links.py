"""Tests of link hosts, of the login element, and of the trust in CloudFront's headers."""

from pathlib import Path

import pytest

import http_api
from conftest import FINGERPRINT
from deployment import ROOT
from logins import ORIGIN_SECRET, VIEWER_HOST, Browser, Phone, viewer

PACKAGE = "com.example.mobile"
ASSET_LINKS = "/.well-known/assetlinks.json"
BERLIN = {"country": "DE", "city": "Berlin"}
LISBON = {"country": "PT", "city": "Lisbon"}


@pytest.fixture(scope="module")
def app(deployment, login_apps):
    """An app with mobile apps, whose links lead to the API."""
    deployment.serve_host(login_apps.mobile.host)
    return login_apps.mobile


def fetch(deployment, path, host=None, **headers):
    return http_api.call(
        deployment, "GET", path, headers=headers | ({"Host": host} if host else {})
    )


def test_asset_links_name_the_android_app(deployment, app):
    answer = fetch(deployment, ASSET_LINKS, app.host)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    statement, = answer.json()
    assert statement["relation"] == ["delegate_permission/common.handle_all_urls"]
    assert statement["target"] == {
        "namespace": "android_app",
        "package_name": PACKAGE,
        "sha256_cert_fingerprints": [FINGERPRINT],
    }


def test_app_site_association_names_the_ios_app(deployment, app):
    answer = fetch(deployment, "/.well-known/apple-app-site-association", app.host)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    details, = answer.json()["applinks"]["details"]
    assert details["appIDs"] == ["ABCDE12345.com.example.mobile"]


def test_people_without_the_app_see_a_page(deployment, app):
    answer = fetch(deployment, "/?sessionId=qrs_" + 32 * "0", app.host)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/html")


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize("path", [ASSET_LINKS, "/"])
def test_unknown_host_has_no_app_links(deployment, path):
    answer = fetch(deployment, path)
    assert (answer.status, answer.json()["code"]) == (404, "not_found")


def test_viewer_host_is_trusted_only_with_the_origin_secret(deployment, app):
    asked, proven = {VIEWER_HOST: app.host}, {ORIGIN_SECRET: deployment.origin_secret}
    assert fetch(deployment, ASSET_LINKS, **asked).status == 404
    # A header that viewers can set themselves is ignored even if CloudFront passes it on.
    viewers = {"X-Forwarded-Host": app.host}
    assert fetch(deployment, ASSET_LINKS, **viewers, **proven).status == 404
    statement, = fetch(deployment, ASSET_LINKS, **asked, **proven).json()
    assert statement["target"]["package_name"] == PACKAGE


def test_any_page_may_load_the_element(deployment):
    built = Path(ROOT, "clients", "widget", "dist", "widget.js").read_bytes()
    answer = fetch(deployment, "/widget.js", Origin="https://anywhere.example")
    assert (answer.status, answer.body) == (200, built)
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["access-control-allow-origin"] == "*"
    again = fetch(deployment, "/widget.js", **{"If-None-Match": answer.headers["etag"]})
    assert again.status == 304


def test_phone_sees_the_location_of_the_browser(deployment, app):
    seen = viewer(deployment, "203.0.113.200", **BERLIN)
    login = Browser(deployment, app, seen).open()
    phone = Phone(deployment, app, viewer(deployment, "198.51.100.9", **LISBON))
    session = phone.initiate(login)["session"]
    assert (session["iPAddressWidget"], session["iPAddressMobile"]) == (
        "203.0.113.200",
        "198.51.100.9",
    )
    risk = session["riskAnalytics"]
    assert risk["geoData"] == {
        "browser": {"city": "Berlin", "country_code": "DE"},
        "mobile": {"city": "Lisbon", "country_code": "PT"},
    }
    assert risk["riskStatus"] == "warn"
    assert "Berlin" in session["mobileTemplateResponse"]["widget"]["location"]


def test_login_with_risk_deny_cannot_be_confirmed(deployment, app):
    login = Browser(deployment, app, viewer(deployment, network="tor")).open()
    phone = Phone(deployment, app)
    assert phone.initiate(login)["session"]["riskAnalytics"]["riskStatus"] == "deny"
    answer = phone.call(login, "confirm", {"payload": "all the same"})
    assert answer.status == 403, answer.body
    assert login.redeem().status == 409


@pytest.mark.parametrize("secret", [None, "", "0" * 64])
def test_viewer_headers_are_ignored_without_the_origin_secret(deployment, app, secret):
    forged = viewer(deployment, "203.0.113.201", **BERLIN)
    del forged[ORIGIN_SECRET]
    if secret is not None:
        forged[ORIGIN_SECRET] = secret
    login = Browser(deployment, app, forged).open()
    session = Phone(deployment, app, forged).initiate(login)["session"]
    # The address is that of the connection.
    assert session["iPAddressWidget"] == session["iPAddressMobile"] == "127.0.0.1"
    assert session["riskAnalytics"]["geoData"] == {"browser": {}, "mobile": {}}
