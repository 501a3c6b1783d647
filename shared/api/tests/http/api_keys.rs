//! API keys.

use countersign_domain::app::api_key::PresentedApiKey;
use countersign_domain::primitives::ids::AppId;
use http::{HeaderName, HeaderValue};
use serde_json::json;

use crate::host::{CALLBACK, Host, broken, id_of, keyed};

const ROUTES: [(&str, &str); 8] = [
    ("GET", "/confirmations"),
    ("POST", "/simulated-texts"),
    ("POST", "/acquire-phone-number"),
    ("POST", "/make-confirmation"),
    ("GET", "/confirmations/cfm_0123456789abcdef0123456789abcdef"),
    (
        "DELETE",
        "/confirmations/cfm_0123456789abcdef0123456789abcdef",
    ),
    (
        "POST",
        "/confirmations/cfm_0123456789abcdef0123456789abcdef/redact",
    ),
    (
        "POST",
        "/confirmations/cfm_0123456789abcdef0123456789abcdef/redeliver",
    ),
];

#[tokio::test]
async fn every_route_of_an_app_requires_its_key() {
    let host = Host::new().await;
    for (method, path) in ROUTES {
        let mut request = host.request(method, path, "");
        request.headers_mut().remove("x-api-key");
        let answer = host.send(request).await;
        assert_eq!(answer.code(), "api_key_missing", "{method} {path}");
        let challenge = answer.header("www-authenticate");
        assert_eq!(challenge, Some("ApiKey header=\"x-api-key\""));
    }
}

#[tokio::test]
async fn key_outside_its_header_is_ignored() {
    let host = Host::new().await;
    let bearer = format!("Bearer {}", host.key.reveal());
    for (name, value) in [
        ("authorization", bearer.as_str()),
        ("x-app-key", host.key.reveal()),
        ("api-key", host.key.reveal()),
    ] {
        let mut request = host.request("POST", "/acquire-phone-number", "{}");
        request.headers_mut().remove("x-api-key");
        let (name, value) = (HeaderName::from_static(name), HeaderValue::from_str(value));
        request.headers_mut().insert(name, value.unwrap());
        assert_eq!(host.send(request).await.code(), "api_key_missing");
    }
    let path = format!("/acquire-phone-number?x-api-key={}", host.key.reveal());
    let mut request = host.request("POST", &path, "{}");
    request.headers_mut().remove("x-api-key");
    assert_eq!(host.send(request).await.code(), "api_key_missing");
}

#[tokio::test]
async fn key_has_one_spelling_and_is_sent_once() {
    let host = Host::new().await;
    let key = host.key.reveal();
    for bad in [
        "",
        " ",
        "cs_live_",
        &key[..key.len() - 1],
        &format!("{key}0"),
        &format!("{key},{key}"),
        &format!("Bearer {key}"),
        &key.to_uppercase(),
        &key.replace("cs_live_", "cs_life_"),
        "é",
    ] {
        let mut request = host.request("POST", "/acquire-phone-number", "{}");
        let value = HeaderValue::from_bytes(bad.as_bytes()).unwrap();
        request.headers_mut().insert("x-api-key", value);
        assert_eq!(
            host.send(request).await.code(),
            "api_key_malformed",
            "{bad}"
        );
    }
    let mut request = host.request("POST", "/acquire-phone-number", "{}");
    let again = HeaderValue::from_str(key).unwrap();
    request.headers_mut().append("x-api-key", again);
    assert_eq!(host.send(request).await.code(), "api_key_malformed");
}

#[tokio::test]
async fn revoked_key_is_refused_and_the_other_still_works() {
    let host = Host::new().await;
    let app = "demo".parse::<AppId>().unwrap();
    let second = PresentedApiKey::generate(&*host.entropy);
    host.add_key(&app, &second).await;
    let id = id_of(&host.acquire().await);
    let path = format!("/confirmations/{id}");
    let by = |key: &PresentedApiKey| host.send(keyed(key, "GET", &path, ""));
    assert_eq!(by(&second).await.status, 200);

    let first = host.key.hash().id();
    host.store
        .revoke_key(&app, &first, host.clock.get())
        .await
        .unwrap();
    assert_eq!(by(&host.key).await.code(), "api_key_revoked");
    assert_eq!(by(&second).await.status, 200);
}

#[tokio::test]
async fn failed_key_lookup_returns_503() {
    let host = Host::failing(broken::apps).await;
    let answer = host
        .post("/acquire-phone-number", json!({"callbackUrl": CALLBACK}))
        .await;
    assert_eq!(answer.code(), "service_unavailable");
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert_eq!(answer.header("www-authenticate"), None);
}
