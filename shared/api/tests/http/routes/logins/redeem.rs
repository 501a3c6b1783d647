//! `POST /qr-sessions/{id}/redeem`.

use countersign_conformance::samples::logins::browser_key;
use countersign_conformance::samples::logins::sealed;
use serde_json::json;

use crate::host::{BROWSER, Host, Opened, SHOP};

#[tokio::test]
async fn payload_is_free_form_and_may_be_empty() {
    let host = Host::new().await;
    for text in ["", "{\"a\":1}", "ünï", &"x".repeat(8_192)] {
        let opened = host.scanned().await;
        let body = json!({"payload": text, "encrypted": false, "more": {}});
        let answer = host.decide(&opened, 1, "confirm", body).await;
        assert_eq!(answer.json(), json!(true));
        let redeemed = host.browser("POST", &opened, "/redeem").await.json();
        assert_eq!(redeemed, json!({"payload": text, "encrypted": false}));
    }
}

#[tokio::test]
async fn encrypted_payload_is_passed_through() {
    let host = Host::new().await;
    let body = json!({"browserPublicKey": browser_key().to_string()});
    let opened = Opened::of(&host.open_from(SHOP, BROWSER, body).await);
    let answer = host.initiate(&opened, 1, json!({})).await.json();
    assert_eq!(answer["browserPublicKey"], browser_key().to_string());
    let payload = json!({"payload": sealed().as_str(), "encrypted": true});
    let answer = host.decide(&opened, 1, "confirm", payload.clone()).await;
    assert_eq!(answer.json(), json!(true));
    let redeemed = host.browser("POST", &opened, "/redeem").await;
    assert_eq!(redeemed.json(), payload);
}
