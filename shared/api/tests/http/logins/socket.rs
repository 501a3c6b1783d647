//! The WebSocket protocol.

use std::time::Duration;

use countersign_api::ApiState;
use countersign_api::socket::{CHANGED, SubscribeError, Subscribed, subscribe};
use countersign_conformance::samples::logins::{mobile_token, watcher};
use serde_json::{Value, json};

use crate::host::{CALLBACK, Host, Opened, broken};

fn message(opened: &Opened) -> Vec<u8> {
    let message = json!({"sessionId": opened.id.to_string(), "token": opened.token});
    message.to_string().into_bytes()
}

#[tokio::test]
async fn subscribed_browser_is_poked_at_each_change() {
    let host = Host::new().await;
    let state = ApiState::from(host.parts());
    let opened = host.open().await;
    let watched = subscribe(&state, &message(&opened), watcher(1)).await;
    assert_eq!(watched.unwrap(), Subscribed::Live);
    for (notifications, what) in [
        (1, "initiate"),
        (0, "initiate"),
        (1, "confirm"),
        (0, "confirm"),
    ] {
        match what {
            "initiate" => host.initiate(&opened, 1, json!({})).await,
            _ => host.confirm(&opened, 1, "yes").await,
        };
        assert_eq!(host.push.take(), notifications, "{what}");
    }
    let late = subscribe(&state, &message(&opened), watcher(2)).await;
    assert_eq!(late.unwrap(), Subscribed::Live);
    host.browser("POST", &opened, "/redeem").await;
    assert_eq!(host.push.take(), 2);
    let said: Value = serde_json::from_str(CHANGED).unwrap();
    assert_eq!(said, json!({"changed": true}));
}

#[tokio::test]
async fn subscribed_phone_is_poked_at_each_change() {
    let host = Host::new().await;
    let state = ApiState::from(host.parts());
    let opened = host.open().await;
    let phone = Opened {
        token: mobile_token(1).reveal(),
        ..opened.clone()
    };
    let early = subscribe(&state, &message(&phone), watcher(1)).await;
    assert!(matches!(early, Err(SubscribeError::Unknown)));
    host.initiate(&opened, 1, json!({})).await;
    let watched = subscribe(&state, &message(&phone), watcher(1)).await;
    assert_eq!(watched.unwrap(), Subscribed::Live);
    host.browser("DELETE", &opened, "").await;
    assert_eq!(host.push.take(), 1);
    assert_eq!(host.state_of(&phone).await, "cancelled");
}

#[tokio::test]
async fn page_watches_its_confirmation() {
    let host = Host::new().await;
    let state = ApiState::from(host.parts());
    let body = json!({"callbackUrl": CALLBACK, "clientChannel": true});
    let session = host.post("/acquire-phone-number", body).await.json();
    let message = json!({
        "confirmationId": session["confirmationId"],
        "token": session["client"]["token"],
    });
    let message = message.to_string().into_bytes();
    let watched = subscribe(&state, &message, watcher(1)).await;
    assert_eq!(watched.unwrap(), Subscribed::Live);
    host.clock.advance(Duration::from_mins(5));
    let late = subscribe(&state, &message, watcher(1)).await;
    assert_eq!(late.unwrap(), Subscribed::Over);
    let other = host.post("/acquire-phone-number", json!({"callbackUrl": CALLBACK}));
    let crossed = json!({
        "confirmationId": other.await.json()["confirmationId"],
        "token": session["client"]["token"],
    });
    let crossed = subscribe(&state, crossed.to_string().as_bytes(), watcher(1)).await;
    assert!(matches!(crossed, Err(SubscribeError::Unknown)));
}

#[tokio::test]
async fn message_that_fits_no_login_is_refused() {
    let host = Host::new().await;
    let state = ApiState::from(host.parts());
    let opened = host.open().await;
    let crossed = Opened {
        token: host.open().await.token,
        ..opened
    };
    for message in [message(&crossed), b"{}".to_vec(), Vec::new()] {
        let refused = subscribe(&state, &message, watcher(1)).await;
        assert!(matches!(refused, Err(SubscribeError::Unknown)));
    }
}

#[tokio::test]
async fn failed_store_ends_a_subscription() {
    let host = Host::new().await;
    let opened = host.open().await;
    let parts = host.parts();
    host.items.fail(broken::logins);
    let broken = subscribe(&parts.into(), &message(&opened), watcher(1)).await;
    assert!(matches!(broken, Err(SubscribeError::Unavailable(_))));
    let mut parts = host.parts();
    parts.logins = None;
    let absent = subscribe(&parts.into(), &message(&opened), watcher(1)).await;
    assert!(matches!(absent, Err(SubscribeError::Unavailable(_))));
}
