//! `POST /qr-sessions/{id}/confirm`.

use countersign_conformance::samples::logins::browser_key;
use countersign_conformance::samples::logins::sealed;
use serde_json::json;

use crate::host::{BROWSER, Host, Opened, SHOP};

#[tokio::test]
async fn unsuitable_payload_changes_nothing() {
    let host = Host::new().await;
    let sealed = json!({"payload": sealed().as_str(), "encrypted": true});
    let opened = host.scanned().await;
    let answer = host.decide(&opened, 1, "confirm", sealed).await;
    assert_eq!(answer.code(), "payload_unsuitable");
    let detail = answer.json()["detail"].clone();
    assert!(detail.as_str().unwrap().contains("gave no key"));
    assert_eq!(host.state_of(&opened).await, "scanned");

    host.change_app(|app| app.login.require_encryption = true)
        .await;
    let refused = host.open_from(SHOP, BROWSER, json!({})).await;
    let missing = (
        "field_missing".to_owned(),
        Some("/browserPublicKey".to_owned()),
    );
    assert_eq!(refused.code_at(), missing);
    let body = json!({"browserPublicKey": browser_key().to_string()});
    let opened = Opened::of(&host.open_from(SHOP, BROWSER, body).await);
    host.initiate(&opened, 1, json!({})).await;
    let answer = host.confirm(&opened, 1, "yes").await;
    assert_eq!(answer.code(), "payload_unsuitable");
    let detail = answer.json()["detail"].clone();
    assert!(
        detail
            .as_str()
            .unwrap()
            .contains("encrypted payloads alone")
    );
    assert_eq!(host.state_of(&opened).await, "scanned");
}
