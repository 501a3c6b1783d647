//! Where a browser's request came from, as shown on the phone.

use countersign_api::ApiState;
use countersign_api::viewer::PeerAddress;
use serde_json::{Value, json};

use crate::host::{Answer, BROWSER, Host, ORIGIN_SECRET, Opened, SHOP, asked, from};

/// Returns the address and the place that a phone sees for a browser whose request had these
/// headers.
async fn told(host: &Host, peer: &str, headers: &[(&str, &str)]) -> (Value, Value) {
    let key = Host::app_key();
    let token = host.browser_token();
    let bearer = format!("Bearer {token}");
    let own = [
        ("x-app-key", key.as_str()),
        ("authorization", bearer.as_str()),
        ("origin", SHOP),
    ];
    let request = asked("POST", "/qr-sessions", &[&own, headers].concat(), None);
    let opened = Opened::from_answer(&host.send(from(peer, request)).await, &token);
    let answer = host.initiate(&opened, 1, json!({})).await.json();
    let session = &answer["session"];
    let place = session["riskAnalytics"]["geoData"]["browser"].clone();
    (session["iPAddressWidget"].clone(), place)
}

#[tokio::test]
async fn cloudfront_is_trusted_with_the_secret() {
    let host = Host::new().await;
    let headers = [
        ("x-countersign-origin-secret", ORIGIN_SECRET),
        ("cloudfront-viewer-address", "2001:db8::1:46532"),
        ("cloudfront-viewer-country", "DE"),
        ("cloudfront-viewer-city", "K%C3%B6ln"),
        ("cloudfront-viewer-latitude", "50.93330"),
        ("cloudfront-viewer-longitude", "6.95000"),
        ("cloudfront-viewer-asn", "64496"),
    ];
    let (address, place) = told(&host, BROWSER, &headers).await;
    assert_eq!(address, "2001:db8::1");
    assert_eq!(place, json!({"city": "Köln", "country_code": "DE"}));
}

#[tokio::test]
async fn malformed_headers_are_ignored() {
    let host = Host::new().await;
    let headers = [
        ("x-countersign-origin-secret", ORIGIN_SECRET),
        ("cloudfront-viewer-address", "somewhere"),
        ("cloudfront-viewer-country", "XXX"),
        ("cloudfront-viewer-city", "%FF"),
        ("cloudfront-viewer-latitude", "north"),
    ];
    let (address, place) = told(&host, BROWSER, &headers).await;
    assert_eq!(address, BROWSER);
    // The same place as if no proxy had located the browser.
    assert_eq!(place, json!({"city": "Berlin", "country_code": "DE"}));
}

#[tokio::test]
async fn trusted_proxy_names_its_caller() {
    let host = Host::with(|parts| {
        let logins = parts.logins.as_mut().unwrap();
        logins.viewers.trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
    })
    .await;
    let headers = [("x-forwarded-for", "6.6.6.6, 203.0.113.9, 10.0.0.2")];
    assert_eq!(told(&host, "10.0.0.1", &headers).await.0, "203.0.113.9");
    assert_eq!(told(&host, BROWSER, &headers).await.0, BROWSER);
}

#[tokio::test]
async fn addresses_are_shown_in_canonical_form() {
    let host = Host::new().await;
    assert_eq!(told(&host, "::ffff:203.0.113.7", &[]).await.0, BROWSER);
    assert_eq!(told(&host, "2001:DB8::1", &[]).await.0, "2001:db8::1");
}

#[tokio::test]
async fn host_without_a_peer_address_returns_500() {
    let host = Host::new().await;
    let router = countersign_api::router(&ApiState::from(host.parts()));
    let key = Host::app_key();
    let headers = [("x-app-key", key.as_str()), ("origin", SHOP)];
    let request = asked("POST", "/qr-sessions", &headers, None);
    assert_eq!(request.extensions().get::<PeerAddress>(), None);
    let answer = Answer::from_router(router, request).await;
    assert_eq!(answer.code(), "internal_error");
}
