//! `POST /qr-sessions/{id}/deny`.

use std::sync::Arc;

use countersign_domain::delivery::ClaimOutcome;
use countersign_domain::web::callback_url::CallbackUrl;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::host::Host;

/// Denies a login with this body, and returns the body of the webhook.
async fn notice(body: Value) -> String {
    let host = Host::new().await;
    let callback = CallbackUrl::from_stored("https://shop.example/hook").ok();
    host.change_app(|app| app.login.callback = callback).await;
    let opened = host.scanned().await;
    let denied = host.decide(&opened, 1, "deny", body).await;
    assert_eq!(denied.json(), json!(true));
    let store = Arc::clone(&host.store);
    let claimed = store.claim(opened.id.into(), 0, host.clock.get()).await;
    let ClaimOutcome::Claimed(claimed) = claimed.unwrap() else {
        panic!("no webhook is owed");
    };
    let text = claimed.body.unwrap().into_text();
    text.replace(&opened.id.to_string(), "qrp_…")
}

#[tokio::test]
async fn denial_reaches_the_apps_server() {
    assert_snapshot!("message", notice(json!({"payload": "not me"})).await);
    // A denial never counts as encrypted, whatever its body claims.
    let body = json!({"payload": "", "encrypted": true});
    assert_snapshot!("empty", notice(body).await);
}

#[tokio::test]
async fn phones_own_refusal_reaches_the_apps_server_with_its_reason() {
    let body = json!({"payload": "", "reason": "key_mismatch"});
    assert_snapshot!("key_mismatch", notice(body).await);
}

#[tokio::test]
async fn denial_with_an_unknown_reason_changes_nothing() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    for reason in ["", "KEY_MISMATCH", "key_mismatch ", "second_phone"] {
        let body = json!({"payload": "", "reason": reason});
        let answer = host.decide(&opened, 1, "deny", body).await;
        assert_eq!(answer.status, 422, "{reason}");
        assert_eq!(answer.code(), "reason_unknown");
    }
    assert_eq!(host.state_of(&opened).await, "scanned");
}

#[tokio::test]
async fn refusal_for_a_reason_is_repeated_and_stays() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    let mismatch = json!({"payload": "", "reason": "key_mismatch"});
    for _ in 0..2 {
        let answer = host.decide(&opened, 1, "deny", mismatch.clone()).await;
        assert_eq!(answer.json(), json!(true));
    }
    assert_eq!(host.state_of(&opened).await, "blocked");
    assert_eq!(host.deny(&opened, 1).await.code(), "session_blocked");
    let denied = host.scanned().await;
    host.deny(&denied, 1).await;
    let answer = host.decide(&denied, 1, "deny", mismatch).await;
    assert_eq!(answer.code(), "session_denied");
    assert_eq!(host.state_of(&denied).await, "denied");
}
