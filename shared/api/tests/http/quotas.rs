//! Quotas: how many sessions an app may start.

use std::num::NonZeroU32;
use std::time::Duration;

use countersign_api::RateLimits;
use countersign_domain::app::quota::QuotaSettings;
use http::HeaderValue;
use serde_json::json;

use crate::host::{Answer, BROWSER, CALLBACK, Host, PERSON, SEND_TO, SHOP, keyed};

const ACQUIRE: &str = "/acquire-phone-number";

/// Creates a host whose app may start two sessions at once, and one more each second.
async fn of_two() -> Host {
    let host = Host::new().await;
    host.change_app(|app| app.quotas.confirmations = settings(2, 100))
        .await;
    host
}

fn settings(burst: u32, max_open: u32) -> QuotaSettings {
    QuotaSettings {
        per_minute: NonZeroU32::new(60),
        burst: NonZeroU32::new(burst),
        max_open: NonZeroU32::new(max_open),
    }
}

async fn acquire(host: &Host) -> Answer {
    host.post(ACQUIRE, json!({"callbackUrl": CALLBACK})).await
}

async fn idempotent(host: &Host, key: &'static str) -> Answer {
    let body = json!({"callbackUrl": CALLBACK}).to_string();
    let mut request = keyed(&host.key, "POST", ACQUIRE, body);
    let key = HeaderValue::from_static(key);
    request.headers_mut().insert("idempotency-key", key);
    host.send(request).await
}

#[tokio::test]
async fn app_beyond_its_rate_waits_alone() {
    let host = of_two().await;
    for _ in 0..2 {
        assert_eq!(acquire(&host).await.status, 200);
    }
    let refused = acquire(&host).await;
    assert_eq!(refused.code(), "app_rate_exceeded");
    assert_eq!(refused.header("retry-after"), Some("1"));
    let confirm = json!({"callbackUrl": CALLBACK, "phoneNumber": PERSON});
    let confirm = host.post("/make-confirmation", confirm).await;
    assert_eq!(confirm.code(), "app_rate_exceeded", "one quota for both");
    let counted = host.metrics.take();
    assert_eq!(
        counted,
        ["created", "created", "rate_exceeded", "rate_exceeded"]
    );

    let stranger = host.stranger().await;
    let body = json!({"callbackUrl": CALLBACK}).to_string();
    let other = host.send(keyed(&stranger, "POST", ACQUIRE, body)).await;
    assert_eq!(other.status, 200);
    host.clock.advance(Duration::from_secs(1));
    assert_eq!(acquire(&host).await.status, 200);
}

#[tokio::test]
async fn replay_does_not_count_against_the_quota() {
    let host = of_two().await;
    for key in ["a", "b"] {
        assert_eq!(idempotent(&host, key).await.status, 200);
    }
    for _ in 0..5 {
        assert_eq!(idempotent(&host, "a").await.status, 200);
    }
    assert_eq!(idempotent(&host, "c").await.code(), "app_rate_exceeded");
}

#[tokio::test]
async fn open_confirmation_is_verified_at_the_cap_and_makes_room() {
    let host = Host::new().await;
    host.change_app(|app| app.quotas.confirmations = settings(9, 1))
        .await;
    let begun = acquire(&host).await.json();
    let refused = acquire(&host).await;
    assert_eq!(refused.code(), "app_open_exceeded");
    assert_eq!(refused.header("retry-after"), Some("300"));
    let message = begun["confirmationMessage"].as_str().unwrap();
    assert_eq!(host.text("t", PERSON, SEND_TO, message).await.status, 200);
    let path = format!(
        "/confirmations/{}",
        begun["confirmationId"].as_str().unwrap()
    );
    let status = host.call("GET", &path, None).await.json();
    assert_eq!(status["status"], "verified");
    assert_eq!(acquire(&host).await.status, 200);
}

#[tokio::test]
async fn logins_have_a_quota_of_their_own() {
    let host = Host::new().await;
    host.change_app(|app| app.quotas.logins = settings(2, 1))
        .await;
    let open = || host.open_from(SHOP, BROWSER, json!({}));
    assert_eq!(open().await.status, 200);
    assert_eq!(open().await.code(), "app_open_exceeded");
    host.clock.advance(Duration::from_mins(1));
    assert_eq!(open().await.status, 200);
    host.change_app(|app| app.quotas.logins = settings(1, 9))
        .await;
    assert_eq!(open().await.status, 200);
    assert_eq!(open().await.code(), "app_rate_exceeded");
    assert_eq!(acquire(&host).await.status, 200);
    let counted = host.metrics.take();
    assert!(counted.contains(&"qr_open_exceeded"), "{counted:?}");
    assert!(counted.contains(&"qr_rate_exceeded"), "{counted:?}");
}

/// An app at its quota must not refuse the answer that a browser lost.
#[tokio::test]
async fn repeated_request_for_a_login_needs_no_quota() {
    let host = Host::new().await;
    host.change_app(|app| app.quotas.logins = settings(1, 1))
        .await;
    let token = host.browser_token();
    for _ in 0..3 {
        let answer = host.open_as(&token, (SHOP, BROWSER), json!({})).await;
        assert_eq!(answer.status, 200);
    }
    let another = host.open_from(SHOP, BROWSER, json!({})).await;
    assert_eq!(another.status, 429);
}

#[tokio::test]
async fn quotas_are_lifted_with_the_limits() {
    let host = Host::with(|parts| parts.rate_limits = RateLimits::Lifted).await;
    host.change_app(|app| app.quotas.confirmations = settings(1, 1))
        .await;
    for _ in 0..9 {
        assert_eq!(acquire(&host).await.status, 200);
    }
}
