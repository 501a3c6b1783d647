//! `POST /inbound-sms/{provider}`.

use countersign_api::InboundParts;
use countersign_conformance::ports::KeptQueue;
use countersign_inbound::{Providers, generic};
use http::HeaderValue;
use serde_json::Value;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

use crate::host::{Answer, CALLBACK, Host, PERSON, SEND_TO, broken, id_of};

async fn status(host: &Host, session: &Value) -> Value {
    let path = format!("/confirmations/{}", id_of(session));
    host.call("GET", &path, None).await.json()["status"].clone()
}

fn message(session: &Value) -> &str {
    session["confirmationMessage"].as_str().unwrap()
}

/// Checks the answer to a text, which is the same whatever the text caused.
fn assert_received(answer: &Answer) {
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json(), json!({"received": true}));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn text_verifies_its_confirmation_and_wakes_the_dispatcher() {
    let host = Host::new().await;
    let session = host.acquire().await;
    assert_received(&host.text("t", PERSON, SEND_TO, message(&session)).await);
    assert_eq!(status(&host, &session).await, "verified");
    let queued = host.queue.take();
    assert_eq!(queued.len(), 1);
    assert_eq!(queued[0].0.subject, id_of(&session).into());
    assert_eq!(queued[0].1, Duration::ZERO);
    assert_eq!(host.metrics.take(), ["created", "verified"]);
}

#[tokio::test]
async fn repeated_text_changes_nothing() {
    let host = Host::new().await;
    let session = host.acquire().await;
    assert_received(&host.text("t", PERSON, SEND_TO, message(&session)).await);
    host.claim(id_of(&session)).await;
    host.queue.take();
    host.metrics.take();
    assert_received(&host.text("t", PERSON, SEND_TO, message(&session)).await);
    assert_eq!(host.metrics.take(), ["text_repeated"]);
    assert_eq!(host.queue.take(), []);
}

#[tokio::test]
async fn ineffective_texts_are_counted_and_answered_alike() {
    let host = Host::new().await;
    let body = json!({"callbackUrl": CALLBACK, "phoneNumber": "+12025550111"});
    let confirmation = host.post("/make-confirmation", body).await.json();
    let used = host.acquire().await;
    host.text("used", PERSON, SEND_TO, message(&used)).await;
    let cancelled = host.acquire().await;
    let path = format!("/confirmations/{}", id_of(&cancelled));
    host.call("DELETE", &path, None).await;
    let open = host.acquire().await;
    let both = format!("{} {}", message(&open), message(&used));
    host.metrics.take();
    for (from, to, text, counted) in [
        ("ACME", SEND_TO, message(&open), "miss_sender"),
        (PERSON, "+12025550198", message(&open), "miss_recipient"),
        (PERSON, SEND_TO, "hello", "miss_no_code"),
        (PERSON, SEND_TO, &both, "miss_ambiguous_code"),
        (PERSON, SEND_TO, "CS-0000000000000000", "miss_unknown"),
        (PERSON, SEND_TO, message(&cancelled), "miss_cancelled"),
        (PERSON, SEND_TO, message(&used), "miss_already_used"),
        (PERSON, SEND_TO, message(&confirmation), "miss_wrong_sender"),
    ] {
        assert_received(&host.text("t", from, to, text).await);
        assert_eq!(host.metrics.take(), [counted]);
    }
    assert_eq!(status(&host, &open).await, "open");
    host.clock.advance(Duration::from_mins(5));
    assert_received(&host.text("t", PERSON, SEND_TO, message(&open)).await);
    assert_eq!(host.metrics.take(), ["miss_expired"]);
}

#[tokio::test]
async fn unauthentic_call_is_refused() {
    let host = Host::new().await;
    let session = host.acquire().await;
    host.metrics.take();
    let body = generic::body(PERSON, SEND_TO, message(&session), None);
    for header in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        let mut request = host.signed("t", &body);
        let other = HeaderValue::from_static("1");
        request.headers_mut().insert(header, other);
        let answer = host.send(request).await;
        assert_eq!(answer.code(), "inbound_not_authentic");
        assert_eq!(answer.json().get("detail"), None);
        assert_eq!(answer.header("www-authenticate"), Some("WebhookSignature"));
        assert_eq!(host.metrics.take(), ["inbound_refused"]);
    }
    // An app's API key does not authenticate a provider.
    let request = host.request("POST", "/inbound-sms/generic", body);
    assert_eq!(host.send(request).await.code(), "inbound_not_authentic");
    assert_eq!(status(&host, &session).await, "open");
}

#[tokio::test]
async fn malformed_authentic_call_learns_the_field() {
    let host = Host::new().await;
    for (body, field) in [
        ("{", None),
        ("[]", None),
        (r#"{"to":"b","text":"c"}"#, Some("/from")),
        (r#"{"from":"a","text":"c"}"#, Some("/to")),
        (r#"{"from":"a","to":"b","text":7}"#, Some("/text")),
        (
            r#"{"from":"a","to":"b","text":"c","carrier":7}"#,
            Some("/carrier"),
        ),
        (
            r#"{"from":"a","to":"b","text":"c","channel":"x"}"#,
            Some("/channel"),
        ),
    ] {
        host.metrics.take();
        let answer = host.send(host.signed("t", body)).await;
        let expected = ("inbound_malformed".to_owned(), field.map(str::to_owned));
        assert_eq!(answer.code_at(), expected);
        assert_eq!(host.metrics.take(), ["inbound_refused"]);
    }
}

#[tokio::test]
async fn content_type_is_ignored() {
    let host = Host::new().await;
    let body = generic::body(PERSON, SEND_TO, "hello", None);
    let mut request = host.signed("t", &body);
    let form = HeaderValue::from_static("application/x-www-form-urlencoded");
    request.headers_mut().insert("content-type", form);
    assert_received(&host.send(request).await);
    let large = host.signed("t", &" ".repeat(16_385));
    assert_eq!(host.send(large).await.code(), "body_too_large");
}

/// The provider retries after a 503.
#[tokio::test]
async fn failed_store_returns_503() {
    let host = Host::failing(broken::confirmations).await;
    let answer = host.text("t", PERSON, SEND_TO, "CS-0000000000000000").await;
    assert_eq!(answer.code(), "service_unavailable");
    let host = Host::failing(broken::apps).await;
    let answer = host.text("t", PERSON, SEND_TO, "CS-0000000000000000").await;
    assert_eq!(answer.code(), "service_unavailable");
}

/// The webhook is pending once it is stored, and the sweep finds it.
#[tokio::test]
async fn failed_queue_does_not_fail_a_text() {
    let host = Host::with(|parts| parts.queue = Arc::new(KeptQueue::broken())).await;
    let session = host.acquire().await;
    host.metrics.take();
    assert_received(&host.text("t", PERSON, SEND_TO, message(&session)).await);
    assert_eq!(host.metrics.take(), ["verified", "enqueue_failed"]);
}

#[tokio::test]
async fn unknown_or_unconfigured_provider_is_not_found() {
    let host = Host::new().await;
    for path in ["/inbound-sms/twilio", "/inbound-sms/", "/inbound-sms"] {
        for method in ["GET", "POST"] {
            assert_eq!(host.call(method, path, None).await.code(), "not_found");
        }
    }
    let host = Host::with(|parts| parts.inbound = InboundParts::fixed(Providers::default())).await;
    let answer = host.text("t", PERSON, SEND_TO, "x").await;
    assert_eq!(answer.code(), "not_found");
}
