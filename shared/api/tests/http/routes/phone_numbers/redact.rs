//! `POST /confirmations/{id}/redact`.

use serde_json::json;
use std::time::Duration;

use super::post;
use crate::host::{CALLBACK, Host, PERSON, id_of};

#[tokio::test]
async fn redaction_erases_numbers_and_metadata() {
    let host = Host::new().await;
    let id = host.verified().await;
    assert_eq!(post(&host, id, "redact").await.code(), "webhook_owed");
    host.deliver(id).await;
    host.clock.advance(Duration::from_secs(1));
    let answer = post(&host, id, "redact").await;
    assert_eq!(answer.status, 200);
    let shown = answer.json();
    assert_eq!(shown["redactedAt"], "2026-01-02T03:04:06.678Z");
    assert_eq!(
        shown["result"],
        json!({"timestamp": "2026-01-02T03:04:05.678Z", "channel": "sms", "provider": "generic"})
    );
    for erased in ["metadata", "phoneNumber"] {
        assert_eq!(shown.get(erased), None, "{erased}");
    }
    let text = String::from_utf8(answer.body.to_vec()).unwrap();
    assert!(
        !text.contains(PERSON) && !text.contains("Example Wireless"),
        "{text}"
    );

    host.clock.advance(Duration::from_secs(1));
    assert_eq!(post(&host, id, "redact").await.lasting(), answer.lasting());
    assert_eq!(
        post(&host, id, "redeliver").await.code(),
        "confirmation_redacted"
    );
}

#[tokio::test]
async fn open_confirmation_cannot_be_redacted() {
    let host = Host::new().await;
    let body = json!({"callbackUrl": CALLBACK, "phoneNumber": PERSON});
    let id = id_of(&host.post("/make-confirmation", body).await.json());
    assert_eq!(post(&host, id, "redact").await.code(), "confirmation_open");
    host.clock.advance(Duration::from_mins(5));
    let shown = post(&host, id, "redact").await.json();
    assert_eq!(shown["status"], "expired");
    assert_eq!(shown.get("phoneNumber"), None);
}
