//! Storage that is almost full or does not accept writes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign_domain::primitives::storage::{StorageCondition, StorageHealth};
use http::HeaderValue;
use serde_json::{Value, json};

use crate::host::{BROWSER, CALLBACK, Host, PERSON, SHOP};

/// Storage in a state that the test sets.
pub(crate) struct In(Mutex<StorageCondition>);

impl In {
    pub(crate) fn always(condition: StorageCondition) -> Arc<Self> {
        Arc::new(Self(Mutex::new(condition)))
    }

    fn becomes(&self, condition: StorageCondition) {
        *self.0.lock().unwrap() = condition;
    }
}

impl StorageHealth for In {
    fn condition(&self) -> StorageCondition {
        *self.0.lock().unwrap()
    }
}

async fn host(condition: StorageCondition) -> Host {
    Host::with(|parts| parts.storage = In::always(condition)).await
}

#[tokio::test]
async fn nothing_starts_without_room() {
    for (condition, code) in [
        (StorageCondition::Low, "storage_low"),
        (StorageCondition::NotWritable, "storage_not_writable"),
    ] {
        let host = host(condition).await;
        let acquired = host
            .call(
                "POST",
                "/acquire-phone-number",
                Some(json!({"callbackUrl": CALLBACK})),
            )
            .await;
        let body = json!({"callbackUrl": CALLBACK, "phoneNumber": PERSON});
        let confirmed = host.call("POST", "/make-confirmation", Some(body)).await;
        let opened = host.open_from(SHOP, BROWSER, json!({})).await;
        for refused in [acquired, confirmed, opened] {
            assert_eq!(refused.status, 503);
            assert_eq!(refused.code(), code);
            let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
            assert!(wait > 1, "{wait}");
        }
        // Requests that store nothing new are answered as usual.
        let none = "/confirmations/cfm_00000000000000000000000000000000";
        assert_eq!(host.call("GET", none, None).await.status, 404);
    }
}

/// A caller whose answer was lost still gets the confirmation that was started.
#[tokio::test]
async fn replay_needs_no_room() {
    let storage = In::always(StorageCondition::Ready);
    let host = Host::with(|parts| parts.storage = storage.clone()).await;
    let body = || json!({"callbackUrl": CALLBACK});
    let acquire = |key, body: Value| {
        let mut request = host.request("POST", "/acquire-phone-number", body.to_string());
        let key = HeaderValue::from_static(key);
        request.headers_mut().insert("idempotency-key", key);
        host.send(request)
    };
    let first = acquire("first", body()).await;
    assert_eq!(first.status, 200);
    for (condition, code) in [
        (StorageCondition::Low, "storage_low"),
        (StorageCondition::NotWritable, "storage_not_writable"),
    ] {
        storage.becomes(condition);
        let again = acquire("first", body()).await;
        assert_eq!(again.status, 200, "{code}");
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
        assert_eq!(again.lasting(), first.lasting());
        let other = json!({"callbackUrl": CALLBACK, "metadata": {"another": 1}});
        let reused = acquire("first", other).await;
        assert_eq!(reused.code(), "idempotency_key_reused");
        assert_eq!(acquire("second", body()).await.code(), code);
    }
    // The window of a day spans midnight.
    host.clock.advance(Duration::from_hours(23));
    assert_eq!(acquire("first", body()).await.lasting(), first.lasting());
    host.clock.advance(Duration::from_hours(2));
    assert_eq!(
        acquire("first", body()).await.code(),
        "storage_not_writable"
    );
}

#[tokio::test]
async fn health_fails_while_writes_fail() {
    let healthy = host(StorageCondition::Low).await;
    assert_eq!(healthy.call("GET", "/healthz", None).await.status, 200);
    let ill = host(StorageCondition::NotWritable).await;
    let answer = ill.call("GET", "/healthz", None).await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.code(), "storage_not_writable");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

/// Storage whose files were modified.
struct Changed;

impl StorageHealth for Changed {
    fn condition(&self) -> StorageCondition {
        StorageCondition::NotWritable
    }

    fn changed_outside(&self) -> Option<String> {
        Some("inbound-secret".to_owned())
    }
}

#[tokio::test]
async fn only_the_health_check_names_the_changed_file() {
    let host = Host::with(|parts| parts.storage = Arc::new(Changed)).await;
    let health = host.call("GET", "/healthz", None).await;
    assert_eq!(health.code(), "storage_not_writable");
    let detail = health.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("inbound-secret"), "{detail}");
    let body = json!({"callbackUrl": CALLBACK});
    let refused = host.call("POST", "/acquire-phone-number", Some(body)).await;
    assert_eq!(refused.code(), "storage_not_writable");
    assert!(refused.json()["detail"].is_null());
}
