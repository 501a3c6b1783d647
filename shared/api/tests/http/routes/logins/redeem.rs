//! `POST /qr-sessions/{id}/redeem`.

use std::time::Duration;

use countersign_conformance::samples::logins::sealed;
use serde_json::json;

use crate::host::{Host, RECEIPT};
use crate::routes::association_keys::{confirmation, private_key, proof};

const OTHER_RECEIPT: &str = "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA";

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
async fn salt_and_proof_are_passed_through() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    let mut body = confirmation(&private_key(1), &opened);
    host.decide(&opened, 1, "confirm", body.clone()).await;
    let readable = host.browser("POST", &opened, "/redeem").await;
    body["encrypted"] = json!(false);
    assert_eq!(readable.json(), body);

    let opened = host.open_sealed().await;
    host.initiate(&opened, 1, json!({})).await;
    let payload = sealed().payload().as_str().to_owned();
    let proof = proof(&opened, |claims| private_key(1).sign_proof(&claims));
    let body = json!({"payload": payload, "encrypted": true, "proof": proof});
    let answer = host.decide(&opened, 1, "confirm", body.clone()).await;
    assert_eq!(answer.json(), json!(true));
    let redeemed = host.browser("POST", &opened, "/redeem").await;
    assert_eq!(redeemed.json(), body);
}

#[tokio::test]
async fn encrypted_payload_is_redeemed_again_with_the_same_receipt() {
    let host = Host::new().await;
    let opened = host.confirmed_sealed().await;
    let first = host.redeem(&opened, RECEIPT).await;
    let payload = sealed().payload().as_str().to_owned();
    assert_eq!(first.json(), json!({"payload": payload, "encrypted": true}));
    host.clock.advance(Duration::from_millis(59_999));
    assert_eq!(host.redeem(&opened, RECEIPT).await.json(), first.json());
    let stolen = host.redeem(&opened, OTHER_RECEIPT).await;
    assert_eq!(stolen.status, 409);
    assert_eq!(stolen.code(), "session_redeemed");
    assert_eq!(host.state_of(&opened).await, "consumed");
    host.clock.advance(Duration::from_millis(1));
    let late = host.redeem(&opened, RECEIPT).await;
    assert_eq!(late.code(), "session_redeemed");
}

#[tokio::test]
async fn readable_payload_is_redeemed_once() {
    let host = Host::new().await;
    let opened = host.confirmed().await;
    assert_eq!(host.redeem(&opened, RECEIPT).await.status, 200);
    for receipt in [RECEIPT, OTHER_RECEIPT] {
        let again = host.redeem(&opened, receipt).await;
        assert_eq!(again.code(), "session_redeemed");
    }
}

#[tokio::test]
async fn refused_receipt_redeems_nothing() {
    let host = Host::new().await;
    let opened = host.confirmed_sealed().await;
    let large = "A".repeat(8_192);
    for receipt in ["", "AAAA", "AAAAAAAAAAAAAAAAAAAAAB", &large] {
        let answer = host.redeem(&opened, receipt).await;
        assert_eq!(answer.code(), "receipt_malformed", "{receipt}");
    }
    assert_eq!(host.state_of(&opened).await, "confirmed");
    assert_eq!(host.redeem(&opened, OTHER_RECEIPT).await.status, 200);
}
