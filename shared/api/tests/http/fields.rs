//! Validation of body fields: each error has the right code and names the right field. The domain's tests cover
//! limits and spellings.

use serde_json::{Value, json};

use crate::host::{Answer, CALLBACK, Host};

const ACQUIRE: &str = "/acquire-phone-number";

async fn acquire(host: &Host, body: Value) -> Answer {
    host.post(ACQUIRE, body).await
}

/// Returns the code of the problem about a field, or `None` if the field is accepted.
fn told(answer: &Answer, pointer: &str) -> Option<String> {
    if answer.status == 200 {
        return None;
    }
    let (code, field) = answer.code_at();
    assert_eq!(field.as_deref(), Some(pointer), "{answer:?}");
    assert!(answer.json()["detail"].as_str().unwrap().ends_with('.'));
    Some(code)
}

async fn callback(host: &Host, url: Value) -> Option<String> {
    told(
        &acquire(host, json!({"callbackUrl": url})).await,
        "/callbackUrl",
    )
}

async fn metadata(host: &Host, metadata: &str) -> Option<String> {
    let body = format!(r#"{{"callbackUrl":"{CALLBACK}","metadata":{metadata}}}"#);
    let answer = host.send(host.request("POST", ACQUIRE, body)).await;
    told(&answer, "/metadata")
}

async fn number(host: &Host, number: Value) -> Option<String> {
    let body = json!({"callbackUrl": CALLBACK, "phoneNumber": number});
    told(&host.post("/make-confirmation", body).await, "/phoneNumber")
}

#[tokio::test]
async fn callback_url_must_be_public_https() {
    let host = Host::new().await;
    let long = format!("https://example.com/{}", "a".repeat(2_048));
    for (url, code) in [
        (json!("https://example.com"), None),
        (json!(null), Some("field_missing")),
        (json!(["https://example.com"]), Some("field_wrong_type")),
        (json!(long), Some("callback_url_too_long")),
        (json!("example.com/hook"), Some("callback_url_malformed")),
        (json!("http://example.com"), Some("callback_url_not_https")),
        (
            json!("https://example.com:80"),
            Some("callback_port_forbidden"),
        ),
        (
            json!("https://169.254.169.254"),
            Some("callback_address_forbidden"),
        ),
    ] {
        assert_eq!(callback(&host, url.clone()).await.as_deref(), code, "{url}");
    }
}

#[tokio::test]
async fn host_sets_the_callback_policy() {
    use countersign_domain::web::callback_url::CallbackPolicy;
    let host = Host::with(|parts| parts.callback_policy = CallbackPolicy::local()).await;
    assert_eq!(callback(&host, json!("http://127.0.0.1:9000/")).await, None);
}

#[tokio::test]
async fn callback_origin_must_be_listed() {
    use countersign_domain::web::callback_url::{CallbackOrigin, CallbackPolicy, CallbackUrl};
    let host = Host::new().await;
    host.change_app(|app| {
        let url = CallbackUrl::parse("https://example.com", &CallbackPolicy::deployed());
        app.callback_origins = vec![CallbackOrigin::from_url(&url.unwrap())];
    })
    .await;
    assert_eq!(
        callback(&host, json!("https://example.com:443/x")).await,
        None
    );
    for other in ["https://example.com:8443/", "https://a.example.com/"] {
        let code = callback(&host, json!(other)).await;
        assert_eq!(
            code.as_deref(),
            Some("callback_origin_not_allowed"),
            "{other}"
        );
    }
}

#[tokio::test]
async fn metadata_is_a_bounded_object_that_every_receiver_reads_alike() {
    let host = Host::new().await;
    let keys: Vec<_> = (0..51).map(|key| format!(r#""k{key}":1"#)).collect();
    let many = format!("{{{}}}", keys.join(","));
    let large = format!(r#"{{"a":"{}"}}"#, "x".repeat(4_096));
    let deep = format!("{}1{}", r#"{"a":"#.repeat(17), "}".repeat(17));
    for (json, code) in [
        ("null", None),
        (r#"{"a":1e20,"b":[null,{"d":"\ud83d\ude00"}]}"#, None),
        ("[]", Some("field_wrong_type")),
        (many.as_str(), Some("metadata_too_many_keys")),
        (large.as_str(), Some("metadata_too_large")),
        (deep.as_str(), Some("metadata_too_deep")),
        (r#"{"a":9007199254740992}"#, Some("metadata_number_inexact")),
        (r#"{"a":{"b":1,"b":2}}"#, Some("metadata_duplicate_key")),
        (r#"{"a":[{"__proto__":1}]}"#, Some("metadata_key_forbidden")),
        (r#"{"a":"\ud800"}"#, Some("field_not_unicode")),
    ] {
        assert_eq!(metadata(&host, json).await.as_deref(), code, "{json}");
    }
}

#[tokio::test]
async fn phone_number_must_be_international_and_possible() {
    let host = Host::new().await;
    for (written, code) in [
        (json!("+1 (202) 555-0100"), None),
        (json!(null), Some("field_missing")),
        (json!(12_025_550_100_u64), Some("field_wrong_type")),
        (json!("2025550100"), Some("phone_number_not_international")),
        (json!("+1 555 0100"), Some("phone_number_not_possible")),
    ] {
        assert_eq!(
            number(&host, written.clone()).await.as_deref(),
            code,
            "{written}"
        );
    }
}

#[tokio::test]
async fn unknown_fields_are_ignored() {
    let host = Host::new().await;
    let body = format!(
        r#"{{"callbackUrl":"{CALLBACK}","x":1e999,"phoneNumber":7,"y":{{"a":1,"a":2}},"__proto__":1}}"#
    );
    let answer = host.send(host.request("POST", ACQUIRE, body)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn problems_never_repeat_what_was_sent() {
    let host = Host::new().await;
    for body in [
        json!({"callbackUrl": "https://u:s3cr3t@example.com"}),
        json!({"callbackUrl": "s3cr3t"}),
        json!({"callbackUrl": CALLBACK, "metadata": {"s3cr3t": {"s3cr3t": 1e300, "n": u64::MAX}}}),
        json!({"callbackUrl": CALLBACK, "metadata": "s3cr3t"}),
    ] {
        let answer = acquire(&host, body).await;
        assert!(answer.status.is_client_error());
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(!text.contains("s3cr3t"), "{text}");
    }
}
