//! Fields of a body: each limit at its edge, and each fault with its field.

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
    let long = |length: usize| {
        let start = "https://example.com/";
        json!(format!("{start}{}", "a".repeat(length - start.len())))
    };
    for (url, code) in [
        (json!("https://example.com"), None),
        (json!("https://example.com:8443/hook?a=b"), None),
        (json!("HTTPS://EXAMPLE.COM./"), None),
        (long(2_048), None),
        (long(2_049), Some("callback_url_too_long")),
        (json!(null), Some("field_missing")),
        (json!(7), Some("field_wrong_type")),
        (json!(["https://example.com"]), Some("field_wrong_type")),
        (json!({}), Some("field_wrong_type")),
        (json!(true), Some("field_wrong_type")),
        (json!(""), Some("callback_url_malformed")),
        (json!("example.com/hook"), Some("callback_url_malformed")),
        (
            json!("https://exa mple.com"),
            Some("callback_url_malformed"),
        ),
        (
            json!("https://example.com/\n"),
            Some("callback_url_malformed"),
        ),
        (
            json!("https://u:p@example.com"),
            Some("callback_url_malformed"),
        ),
        (
            json!("https://example.com#x"),
            Some("callback_url_malformed"),
        ),
        (
            json!("https://example.com\\@a"),
            Some("callback_url_malformed"),
        ),
        (json!("http://example.com"), Some("callback_url_not_https")),
        (json!("ftp://example.com"), Some("callback_url_not_https")),
        (
            json!("https://example.com:80"),
            Some("callback_port_forbidden"),
        ),
        (
            json!("https://localhost"),
            Some("callback_address_forbidden"),
        ),
        (
            json!("https://intranet"),
            Some("callback_address_forbidden"),
        ),
        (
            json!("https://db.internal"),
            Some("callback_address_forbidden"),
        ),
        (
            json!("https://127.0.0.1"),
            Some("callback_address_forbidden"),
        ),
        (
            json!("https://2130706433"),
            Some("callback_address_forbidden"),
        ),
        (json!("https://0x7f.1"), Some("callback_address_forbidden")),
        (
            json!("https://169.254.169.254"),
            Some("callback_address_forbidden"),
        ),
        (json!("https://[::1]"), Some("callback_address_forbidden")),
        (
            json!("https://[::ffff:10.0.0.1]"),
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
        app.callback_origins = vec![CallbackOrigin::of(&url.unwrap())];
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
async fn metadata_is_bounded() {
    let host = Host::new().await;
    let object = |keys: usize| {
        let keys: Vec<_> = (0..keys).map(|key| format!(r#""k{key}":1"#)).collect();
        format!("{{{}}}", keys.join(","))
    };
    let sized = |bytes: usize| format!(r#"{{"a":"{}"}}"#, "x".repeat(bytes - 8));
    let nested = |depth: usize| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    for (json, code) in [
        ("null".to_owned(), None),
        ("{}".to_owned(), None),
        (object(50), None),
        (object(51), Some("metadata_too_many_keys")),
        (sized(4_096), None),
        (sized(4_097), Some("metadata_too_large")),
        // The limit applies to the canonical form, not to the caller's spelling.
        (format!("{}{}", " ".repeat(8_000), sized(4_096)), None),
        (
            sized(4_097).replacen('x', "\\u0078", 1),
            Some("metadata_too_large"),
        ),
        (nested(16), None),
        (nested(17), Some("metadata_too_deep")),
    ] {
        assert_eq!(metadata(&host, &json).await.as_deref(), code, "{json}");
    }
}

#[tokio::test]
async fn metadata_that_would_not_survive_is_refused() {
    let host = Host::new().await;
    for (json, code) in [
        (r#"{"a":9007199254740991}"#, None),
        (r#"{"a":-9007199254740991}"#, None),
        (
            r#"{"a":1e20,"b":1.50,"c":[null,true,{"d":"\ud83d\ude00"}]}"#,
            None,
        ),
        (r#"{"a":9007199254740992}"#, Some("metadata_number_inexact")),
        (r#"{"a":1e999}"#, Some("metadata_number_inexact")),
        (r#"{"a":{"b":1,"b":2}}"#, Some("metadata_duplicate_key")),
        (r#"{"a":[{"__proto__":1}]}"#, Some("metadata_key_forbidden")),
        (
            r#"{"constructor":{"prototype":1}}"#,
            Some("metadata_key_forbidden"),
        ),
        (r#"{"a":"\ud800"}"#, Some("field_not_unicode")),
        (r#"{"\udc00":1}"#, Some("field_not_unicode")),
        ("[]", Some("field_wrong_type")),
        (r#""{}""#, Some("field_wrong_type")),
        ("7", Some("field_wrong_type")),
        ("false", Some("field_wrong_type")),
    ] {
        assert_eq!(metadata(&host, json).await.as_deref(), code, "{json}");
    }
}

#[tokio::test]
async fn phone_number_must_be_international_and_possible() {
    let host = Host::new().await;
    let padded = |length: usize| format!("+12025550100{}", " ".repeat(length - 12));
    for (written, code) in [
        (json!("+12025550100"), None),
        (json!("+1 (202) 555-0100"), None),
        (json!("+44 20 7946 0018"), None),
        (json!(padded(256)), None),
        (json!(padded(257)), Some("phone_number_not_international")),
        (json!(null), Some("field_missing")),
        (json!(12_025_550_100_u64), Some("field_wrong_type")),
        (json!(""), Some("phone_number_not_international")),
        (json!("2025550100"), Some("phone_number_not_international")),
        (
            json!("0012025550100"),
            Some("phone_number_not_international"),
        ),
        (json!("tel:+1-202-555-0100"), None),
        (
            json!("tel:2025550100"),
            Some("phone_number_not_international"),
        ),
        (
            json!("+1202555O100"),
            Some("phone_number_not_international"),
        ),
        (json!("+1"), Some("phone_number_not_possible")),
        (json!("+1 555 0100"), Some("phone_number_not_possible")),
        (json!("+999 1234567"), Some("phone_number_not_possible")),
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
