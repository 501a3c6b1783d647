//! Test logins, which a test key opens and whose code only a test key can open.

use countersign_conformance::samples::logins::mobile_token;
use countersign_domain::app::api_key::{KeyMode, PresentedApiKey};
use countersign_domain::primitives::ids::AppId;
use countersign_proof::registration;
use serde_json::{Value, json};

use super::server::{CONTEXT, asking, call, confirm_with, proof_of};
use crate::host::{Answer, Host, Opened, PHONE, asked, from, keyed};
use crate::routes::association_keys::{private_key, register};

/// Returns a test key of this app.
pub(crate) async fn test_key(host: &Host, app: &str) -> PresentedApiKey {
    let key = PresentedApiKey::generate_for(KeyMode::Test, &*host.entropy);
    host.add_key(&app.parse::<AppId>().unwrap(), &key).await;
    key
}

/// Opens a login with a context as a server with this key.
pub(crate) async fn opened_with(host: &Host, key: &PresentedApiKey) -> (Opened, Answer) {
    let token = host.browser_token();
    let bearer = format!("Bearer {token}");
    let headers = [("x-api-key", key.reveal()), ("authorization", &bearer)];
    let body = asking(host, CONTEXT);
    let answer = host.send(asked("POST", "/qr-sessions", &headers, Some(&body)));
    let answer = answer.await;
    (Opened::from_answer(&answer, &token), answer)
}

/// Opens the code as phone 1 with this key.
async fn initiate_with(host: &Host, key: &PresentedApiKey, opened: &Opened) -> Answer {
    let bearer = format!("Bearer {}", mobile_token(1).reveal());
    let headers = [("x-api-key", key.reveal()), ("authorization", &bearer)];
    let path = opened.path("/initiate");
    let request = asked("POST", &path, &headers, Some(&json!({})));
    host.send(from(PHONE, request)).await
}

#[tokio::test]
async fn approval_runs_without_a_phone() {
    let host = Host::new().await;
    let key = test_key(&host, "demo").await;
    let (opened, answer) = opened_with(&host, &key).await;
    assert_eq!(answer.json()["test"], true);
    let phone = host.initiate(&opened, 1, json!({})).await;
    assert_eq!(
        (phone.status.as_u16(), phone.code().as_str()),
        (404, "session_not_found")
    );
    let shown = initiate_with(&host, &key, &opened).await;
    assert_eq!(shown.json()["context"], CONTEXT);
    let confirmed = confirm_with(&host, &opened, &proof_of(&opened)).await;
    assert_eq!(confirmed.json(), json!(true));
    for key in [&key, &host.key] {
        let seen = call(&host, key.reveal(), "GET", &opened.path(""))
            .await
            .json();
        assert_eq!(
            (&seen["test"], &seen["state"]),
            (&json!(true), &json!("confirmed"))
        );
    }
    assert!(host.metrics.take().is_empty());
}

#[tokio::test]
async fn test_key_reaches_no_live_login_and_no_other_app() {
    let host = Host::new().await;
    let key = test_key(&host, "demo").await;
    host.stranger().await;
    let stranger = test_key(&host, "stranger").await;
    let live = host.open_sealed().await;
    let (test, _) = opened_with(&host, &key).await;
    for (key, opened) in [(&key, &live), (&stranger, &test), (&stranger, &live)] {
        for (method, rest) in [("GET", ""), ("DELETE", ""), ("POST", "/expire")] {
            let refused = call(&host, key.reveal(), method, &opened.path(rest)).await;
            assert_eq!(refused.code(), "session_not_found", "{method} {rest}");
        }
        let refused = initiate_with(&host, key, opened).await;
        assert_eq!(refused.code(), "session_not_found");
    }
    let listed = async |key: &str| -> Vec<Value> {
        let page = call(&host, key, "GET", "/qr-sessions").await.json();
        let sessions = page["sessions"].as_array().unwrap().iter();
        sessions.map(|item| item["sessionId"].clone()).collect()
    };
    let own = [json!(test.id.to_string())];
    assert_eq!(listed(key.reveal()).await, own);
    assert_eq!(listed(host.key.reveal()).await.len(), 2);
    assert_eq!(listed(stranger.reveal()).await, [json!(null); 0]);
    let live = call(&host, host.key.reveal(), "GET", &live.path("")).await;
    assert_eq!(live.json().get("test"), None);
}

#[tokio::test]
async fn late_answer_to_an_expired_test_is_refused_as_ever() {
    let host = Host::new().await;
    let key = test_key(&host, "demo").await;
    let (opened, _) = opened_with(&host, &key).await;
    initiate_with(&host, &key, &opened).await;
    for _ in 0..2 {
        let expired = call(&host, key.reveal(), "POST", &opened.path("/expire")).await;
        assert_eq!(expired.status, 204, "{expired:?}");
    }
    let late = confirm_with(&host, &opened, &proof_of(&opened)).await;
    assert_eq!(
        (late.status.as_u16(), late.code().as_str()),
        (410, "session_expired")
    );
    assert_eq!(host.state_of(&opened).await, "expired");

    let (denied, _) = opened_with(&host, &key).await;
    initiate_with(&host, &key, &denied).await;
    host.deny(&denied, 1).await;
    let over = call(&host, key.reveal(), "POST", &denied.path("/expire")).await;
    assert_eq!(
        (over.status.as_u16(), over.code().as_str()),
        (409, "session_denied")
    );
}

#[tokio::test]
async fn live_key_is_no_phone_and_expires_nothing() {
    let host = Host::new().await;
    let key = test_key(&host, "demo").await;
    let (test, _) = opened_with(&host, &key).await;
    let live = host.open().await;
    for opened in [&test, &live] {
        let refused = initiate_with(&host, &host.key, opened).await;
        assert_eq!(
            (refused.status.as_u16(), refused.code().as_str()),
            (403, "test_key_needed")
        );
        let refused = call(&host, host.key.reveal(), "POST", &opened.path("/expire")).await;
        assert_eq!(refused.code(), "test_key_needed");
        assert_eq!(host.state_of(opened).await, "created");
    }
    let bearer = format!("Bearer {}", mobile_token(1).reveal());
    let app_key = Host::app_key();
    let both = [
        ("x-api-key", key.reveal()),
        ("x-app-key", app_key.as_str()),
        ("authorization", &bearer),
    ];
    let both = host.send(asked(
        "POST",
        &test.path("/initiate"),
        &both,
        Some(&json!({})),
    ));
    assert_eq!(both.await.code(), "credentials_ambiguous");
}

/// Registers the `n`th key with this API key.
async fn register_with(host: &Host, key: &PresentedApiKey, owner: &str, n: u8) -> Answer {
    let public = private_key(n).public_key().to_string();
    let body = json!({"publicUserId": owner, "publicKey": public}).to_string();
    host.send(keyed(key, "POST", "/association-keys", body))
        .await
}

/// Returns a user's public keys as this API key sees them.
async fn keys_of(host: &Host, key: &PresentedApiKey, owner: &str) -> Vec<String> {
    let path = format!("/association-keys?publicUserId={owner}");
    let listed = call(host, key.reveal(), "GET", &path).await.json();
    let keys = listed["keys"].as_array().unwrap().iter();
    keys.map(|key| key["publicKey"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn keys_of_tests_and_of_people_are_apart() {
    let host = Host::new().await;
    let key = test_key(&host, "demo").await;
    // The same key may belong to one user in live use and to another in tests: neither takes it from the
    // other.
    assert_eq!(register(&host, "zoe", 1).await.status, 200);
    assert_eq!(register_with(&host, &key, "max", 1).await.status, 200);
    assert_eq!(register_with(&host, &key, "zoe", 2).await.status, 200);
    let public = |n| private_key(n).public_key().to_string();
    assert_eq!(keys_of(&host, &host.key, "zoe").await, [public(1)]);
    assert_eq!(keys_of(&host, &key, "zoe").await, [public(2)]);
    assert_eq!(keys_of(&host, &key, "max").await, [public(1)]);
    assert!(keys_of(&host, &host.key, "max").await.is_empty());
    // A test key cannot revoke a live user's key.
    let path = format!("/association-keys/{}", private_key(1).public_key().key_id());
    assert_eq!(call(&host, key.reveal(), "DELETE", &path).await.status, 200);
    assert_eq!(keys_of(&host, &host.key, "zoe").await, [public(1)]);
    let path = format!("/association-keys/{}", private_key(2).public_key().key_id());
    let unknown = call(&host, host.key.reveal(), "DELETE", &path).await;
    assert_eq!(unknown.code(), "association_key_not_found");
}

#[tokio::test]
async fn key_of_a_test_verifies_only_tests() {
    let host = Host::new().await;
    let key = test_key(&host, "demo").await;
    let verified = async |opened: &Opened| {
        let seen = call(&host, host.key.reveal(), "GET", &opened.path("")).await;
        seen.json()["verifiedPublicUserId"].clone()
    };
    register_with(&host, &key, "zoe", 1).await;
    let (test, _) = opened_with(&host, &key).await;
    initiate_with(&host, &key, &test).await;
    confirm_with(&host, &test, &proof_of(&test)).await;
    assert_eq!(verified(&test).await, "zoe");
    let live = super::server::opened(&host).await;
    host.initiate(&live, 1, json!({})).await;
    confirm_with(&host, &live, &proof_of(&live)).await;
    assert_eq!(verified(&live).await, Value::Null);

    // A live key does not verify a test login, and where proofs are required neither replaces the
    // other.
    host.change_app(|app| app.login.require_proof = true).await;
    let live = super::server::opened(&host).await;
    host.initiate(&live, 1, json!({})).await;
    let refused = confirm_with(&host, &live, &proof_of(&live)).await;
    assert_eq!(refused.code(), "proof_invalid");
    let path = format!("/association-keys/{}", private_key(1).public_key().key_id());
    call(&host, key.reveal(), "DELETE", &path).await;
    let signature = {
        let (app_key, user) = (Host::app_key(), "zoe".parse().unwrap());
        registration::sign(&private_key(1), &app_key, &user)
    };
    let public = private_key(1).public_key().to_string();
    let body = json!({"publicUserId": "zoe", "publicKey": public, "signature": signature});
    let registered = host.post("/association-keys", body).await;
    assert_eq!(registered.status, 200, "{registered:?}");
    let (test, _) = opened_with(&host, &key).await;
    initiate_with(&host, &key, &test).await;
    let refused = confirm_with(&host, &test, &proof_of(&test)).await;
    assert_eq!(refused.code(), "proof_invalid");
}
