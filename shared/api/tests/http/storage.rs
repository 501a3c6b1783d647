//! Storage that runs full, or takes no writes.

use std::sync::Arc;

use countersign_domain::ports::{StorageCondition, StorageHealth};
use serde_json::json;

use crate::host::{BROWSER, CALLBACK, Host, PERSON, SHOP};

/// Storage in a condition.
pub(crate) struct In(StorageCondition);

impl In {
    pub(crate) fn always(condition: StorageCondition) -> Arc<Self> {
        Arc::new(Self(condition))
    }
}

impl StorageHealth for In {
    fn condition(&self) -> StorageCondition {
        self.0
    }
}

async fn host(condition: StorageCondition) -> Host {
    Host::with(|parts| parts.storage = In::always(condition)).await
}

#[tokio::test]
async fn nothing_new_is_begun_without_room() {
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
        // What asks for nothing new is judged as ever.
        let none = "/confirmations/cfm_00000000000000000000000000000000";
        assert_eq!(host.call("GET", none, None).await.status, 404);
    }
}

#[tokio::test]
async fn health_is_whether_writes_work() {
    let healthy = host(StorageCondition::Low).await;
    assert_eq!(healthy.call("GET", "/healthz", None).await.status, 200);
    let ill = host(StorageCondition::NotWritable).await;
    let answer = ill.call("GET", "/healthz", None).await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.code(), "storage_not_writable");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}
