//! Association keys, and proofs by them.

use std::time::Duration;

use countersign_conformance::samples::association_keys::{of_phone, passkey, user};
use countersign_domain::app::quota::Allowance;
use countersign_domain::login::KeyKind;
use countersign_domain::login::Salt;
use countersign_domain::login::association_key::transitions::Registration;
use countersign_domain::primitives::time::{Clock as _, Timestamp};
use countersign_proof::{AssociationPrivateKey, ProofClaims, ProofTooLong, registration};
use serde_json::{Value, json};

use crate::host::{Answer, Host, Opened, SHOP, START, keyed};

const KEYS: &str = "/association-keys";
const SALT: [u8; 16] = [7; 16];

/// Returns the `n`th private key.
pub(crate) fn private_key(n: u8) -> AssociationPrivateKey {
    AssociationPrivateKey::from_bytes(&[n; 32]).unwrap()
}

/// Registers the `n`th key without a signature.
pub(crate) async fn register(host: &Host, owner: &str, n: u8) -> Answer {
    let key = private_key(n).public_key().to_string();
    host.post(KEYS, json!({"publicUserId": owner, "publicKey": key}))
        .await
}

/// Returns the body that confirms a login with the payload `yes` and a proof by this key.
pub(crate) fn confirmation(key: &AssociationPrivateKey, opened: &Opened) -> Value {
    confirmation_at(key, opened, START)
}

fn confirmation_at(key: &AssociationPrivateKey, opened: &Opened, at: Timestamp) -> Value {
    let proof = proof(opened, |claims| {
        key.sign_proof(&ProofClaims { at, ..claims })
    });
    let salt = Salt::from_bytes(SALT).to_string();
    json!({"payload": "yes", "salt": salt, "proof": proof})
}

/// Returns a signed proof of a login whose payload is `yes` unless the claims are changed.
pub(crate) fn proof(
    opened: &Opened,
    sign: impl FnOnce(ProofClaims<'_>) -> Result<String, ProofTooLong>,
) -> String {
    let claims = ProofClaims {
        app: &Host::app_key(),
        origin: &SHOP.parse().unwrap(),
        login: opened.id,
        user: None,
        context: None,
        payload: "yes",
        salt: &SALT,
        at: START,
    };
    sign(claims).unwrap()
}

async fn list(host: &Host, query: &str) -> Answer {
    host.call("GET", &format!("{KEYS}{query}"), None).await
}

async fn revoke(host: &Host, n: u8) -> Answer {
    let id = private_key(n).public_key().key_id();
    host.call("DELETE", &format!("{KEYS}/{id}"), None).await
}

#[tokio::test]
async fn key_is_registered_listed_and_revoked() {
    let host = Host::new().await;
    let empty = list(&host, "?publicUserId=zo%C3%AB%40example.com").await;
    assert_eq!(
        (empty.status.as_u16(), empty.json()),
        (200, json!({"keys": []}))
    );
    let first = register(&host, "zo\u{eb}@example.com", 1).await;
    let id = private_key(1).public_key().key_id().to_string();
    assert_eq!(
        (first.status.as_u16(), first.json()),
        (200, json!({"keyId": id}))
    );
    assert_eq!(first.header("cache-control"), Some("no-store"));
    host.clock.advance(Duration::from_secs(1));
    let again = register(&host, "zo\u{eb}@example.com", 1).await;
    assert_eq!(again.json(), first.json());
    let second = register(&host, "zo\u{eb}@example.com", 2).await;
    let listed = list(&host, "?publicUserId=zo%C3%AB%40example.com").await;
    let [one, two] = [1, 2].map(|n| private_key(n).public_key().to_string());
    let other = second.json()["keyId"].clone();
    let expected = json!({"keys": [
        {"keyId": id, "publicKey": one, "registeredAt": "2026-01-02T03:04:05.678Z", "kind": "app"},
        {"keyId": other, "publicKey": two, "registeredAt": "2026-01-02T03:04:06.678Z", "kind": "app"},
    ]});
    assert_eq!(listed.json(), expected);
    for _ in 0..2 {
        let revoked = revoke(&host, 1).await;
        assert_eq!(
            (revoked.status.as_u16(), revoked.json()),
            (200, first.json())
        );
    }
    let listed = list(&host, "?publicUserId=zo%C3%AB%40example.com").await;
    assert_eq!(listed.json()["keys"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn keys_of_the_web_authenticator_are_listed_with_their_kind() {
    let host = Host::new().await;
    for key in [
        of_phone("demo", "zoe", 1, KeyKind::Browser, "Pixel 9"),
        of_phone("demo", "zoe", 2, passkey(true), "iPhone"),
    ] {
        let now = host.clock.now();
        let registered = host
            .store
            .register_association_key(key, Allowance::Unlimited, now);
        assert_eq!(registered.await.unwrap(), Ok(Registration::New));
        host.clock.advance(Duration::from_secs(1));
    }
    let listed = list(&host, "?publicUserId=zoe").await.json();
    let mut keys = listed["keys"].as_array().unwrap().clone();
    keys.sort_by_key(|key| key["kind"].to_string());
    let of_kind = |n: usize| {
        let mut key = keys[n].clone();
        for name in ["keyId", "publicKey", "registeredAt"] {
            key.as_object_mut().unwrap().remove(name).unwrap();
        }
        key
    };
    assert_eq!(of_kind(0), json!({"kind": "browser", "label": "Pixel 9"}));
    let passkey = json!({
        "kind": "passkey", "label": "iPhone", "synced": true,
        "rpId": "login.shop.example", "origin": "https://login.shop.example",
    });
    assert_eq!(of_kind(1), passkey);
}

#[tokio::test]
async fn keys_of_other_apps_are_out_of_reach() {
    let host = Host::new().await;
    register(&host, "zoe", 1).await;
    let stranger = host.stranger().await;
    let id = private_key(1).public_key().key_id();
    let path = format!("{KEYS}/{id}");
    let answer = host.send(keyed(&stranger, "DELETE", &path, "")).await;
    assert_eq!(answer.code(), "association_key_not_found");
    let path = format!("{KEYS}?publicUserId=zoe");
    let answer = host.send(keyed(&stranger, "GET", &path, "")).await;
    assert_eq!(answer.json(), json!({"keys": []}));
    let listed = list(&host, "?publicUserId=zoe").await;
    assert_eq!(listed.json()["keys"][0]["keyId"], id.to_string());
}

#[tokio::test]
async fn user_to_list_is_named_once() {
    let host = Host::new().await;
    for (query, code) in [
        ("", "field_missing"),
        ("?publicUserId=", "public_user_id_malformed"),
        ("?publicUserId=a%00", "public_user_id_malformed"),
        ("?publicUserId=a&publicUserId=b", "public_user_id_malformed"),
    ] {
        assert_eq!(list(&host, query).await.code(), code, "{query}");
    }
}

#[tokio::test]
async fn member_at_fault_is_named() {
    let host = Host::new().await;
    let key = private_key(1).public_key().to_string();
    let signature = registration::sign(&private_key(2), &Host::app_key(), &user("zoe"));
    for (body, code, field) in [
        (json!({"publicKey": key}), "field_missing", "/publicUserId"),
        (
            json!({"publicUserId": "zoe"}),
            "field_missing",
            "/publicKey",
        ),
        (
            json!({"publicUserId": 1}),
            "field_wrong_type",
            "/publicUserId",
        ),
        (
            json!({"publicUserId": "", "publicKey": key}),
            "public_user_id_malformed",
            "/publicUserId",
        ),
        // Another user's key, registered as one's own.
        (
            json!({"publicUserId": "zoe", "publicKey": key, "signature": signature}),
            "key_signature_false",
            "/signature",
        ),
    ] {
        let answer = host.post(KEYS, body).await;
        assert_eq!(answer.code(), code);
        assert_eq!(answer.json()["field"], field);
    }
}

#[tokio::test]
async fn possession_is_shown_where_proofs_are_required() {
    let host = Host::new().await;
    host.change_app(|app| app.login.require_proof = true).await;
    assert_eq!(
        register(&host, "zoe", 1).await.code(),
        "key_signature_missing"
    );
    let signature = registration::sign(&private_key(1), &Host::app_key(), &user("zoe"));
    let key = private_key(1).public_key().to_string();
    let body = json!({"publicUserId": "zoe", "publicKey": key, "signature": signature});
    assert_eq!(host.post(KEYS, body).await.status, 200);
}

#[tokio::test]
async fn verified_user_never_passes_through_the_page() {
    let host = Host::new().await;
    host.change_app(|app| app.login.require_proof = true).await;
    let signature = registration::sign(&private_key(1), &Host::app_key(), &user("zoe"));
    let key = private_key(1).public_key().to_string();
    let body = json!({"publicUserId": "zoe", "publicKey": key, "signature": signature});
    host.post(KEYS, body).await;
    let opened = host.scanned().await;
    assert_eq!(
        host.confirm(&opened, 1, "yes").await.code(),
        "proof_required"
    );
    let body = confirmation(&private_key(1), &opened);
    let answer = host.decide(&opened, 1, "confirm", body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let redeemed = host.browser("POST", &opened, "/redeem").await;
    let members = redeemed.json();
    let mut names: Vec<_> = members.as_object().unwrap().keys().cloned().collect();
    names.sort();
    assert_eq!(names, ["encrypted", "payload", "proof", "salt"]);
    let shown = host.browser("GET", &opened, "").await;
    assert!(!shown.json().to_string().contains("zoe"));
}

#[tokio::test]
async fn revoked_key_verifies_no_user_from_the_next_request() {
    let host = Host::new().await;
    register(&host, "zoe", 1).await;
    let opened = host.scanned().await;
    let body = confirmation(&private_key(1), &opened);
    revoke(&host, 1).await;
    let answer = host.decide(&opened, 1, "confirm", body).await;
    assert_eq!(answer.code(), "proof_invalid");
    assert_eq!(host.state_of(&opened).await, "scanned");
}
