//! Logins that use several routes.

mod cancel;
mod check_code;
mod confirm;
mod create;
mod deny;
mod initiate;
mod redeem;
mod return_link;
mod show;

use std::time::Duration;

use insta::assert_json_snapshot;
use serde_json::json;

use crate::host::{BROWSER, Host, LINK_HOST, RECEIPT, SHOP, log};

#[tokio::test]
async fn login_goes_from_the_code_to_the_payload() {
    let host = Host::new().await;
    let token = host.browser_token();
    let answer = host.open_as(&token, (SHOP, BROWSER), json!({})).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let session = answer.json();
    let opened = crate::host::Opened::from_answer(&answer, &token);
    let members: Vec<_> = session.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        [
            "expiresAt",
            "expiresIn",
            "serverTime",
            "sessionId",
            "socketUrl",
            "url"
        ]
    );
    let url = format!("https://{LINK_HOST}?sessionId={}", opened.id);
    assert_eq!(session["url"], url);
    assert_eq!(session["socketUrl"], "wss://api.shop.example/socket");
    assert_eq!(session["expiresAt"], "2026-01-02T03:05:05.678Z");

    host.clock.advance(Duration::from_secs(1));
    let status = host.browser("GET", &opened, "").await;
    assert_json_snapshot!("created", status.json());
    assert_eq!(host.initiate(&opened, 1, json!({})).await.status, 200);
    host.clock.advance(Duration::from_secs(1));
    let status = host.browser("GET", &opened, "").await;
    assert_json_snapshot!("scanned", status.json());
    let confirmed = host.confirm(&opened, 1, "yes").await;
    assert_eq!(confirmed.json(), json!(true));
    assert_eq!(host.state_of(&opened).await, "confirmed");
    let redeemed = host.browser("POST", &opened, "/redeem").await;
    assert_eq!(
        redeemed.json(),
        json!({"payload": "yes", "encrypted": false})
    );
    assert_eq!(redeemed.header("cache-control"), Some("no-store"));
    assert_eq!(redeemed.header("etag"), None);
    assert_eq!(host.state_of(&opened).await, "consumed");
}

#[tokio::test]
async fn log_names_the_login_and_contains_no_secret() {
    let host = Host::new().await;
    let opened = host.open().await;
    let user = json!({"publicUserId": "user-s3cr3t"});
    host.initiate(&opened, 1, user).await;
    host.confirm(&opened, 1, "payload-s3cr3t").await;
    host.browser("POST", &opened, "/redeem").await;
    host.browser("POST", &opened, "/redeem").await;
    let lines = log::lines();
    assert_eq!(lines.len(), 5);
    for line in &lines {
        assert_eq!(line["fields"]["session_id"], opened.id.to_string());
    }
    assert_eq!(lines[0]["fields"]["app"], "demo");
    assert_eq!(lines[1]["fields"]["app"], "demo");
    assert_eq!(lines[4]["fields"]["code"], "session_redeemed");
    let text = log::text();
    let phone = countersign_conformance::samples::logins::mobile_token(1).reveal();
    for secret in ["s3cr3t", &opened.token, &phone, RECEIPT, BROWSER] {
        assert!(!text.contains(secret), "{secret} stands in the log");
    }
}

#[tokio::test]
async fn repeated_decision_repeats_the_answer() {
    let host = Host::new().await;
    let opened = host.confirmed().await;
    assert_eq!(host.confirm(&opened, 1, "yes").await.json(), json!(true));
    let other = host.confirm(&opened, 1, "another").await;
    assert_eq!(other.code(), "session_confirmed");
    host.browser("POST", &opened, "/redeem").await;
    assert_eq!(host.confirm(&opened, 1, "yes").await.json(), json!(true));
    let other = host.confirm(&opened, 1, "another").await;
    assert_eq!(other.code(), "session_consumed");

    let opened = host.scanned().await;
    assert_eq!(host.deny(&opened, 1).await.json(), json!(true));
    assert_eq!(host.deny(&opened, 1).await.json(), json!(true));
    assert_eq!(host.state_of(&opened).await, "denied");
}

#[tokio::test]
async fn decision_wakes_the_dispatcher_if_the_app_has_a_callback() {
    let host = Host::new().await;
    let policy = countersign_domain::web::callback_url::CallbackPolicy::deployed();
    let callback = countersign_domain::web::callback_url::CallbackUrl::parse(
        "https://shop.example/hook",
        &policy,
    );
    host.change_app(|app| app.login.callback = callback.ok())
        .await;
    host.confirmed().await;
    assert_eq!(host.queue.take().len(), 1);
    let opened = host.scanned().await;
    assert_eq!(host.queue.take().len(), 0);
    host.deny(&opened, 1).await;
    assert_eq!(host.queue.take().len(), 1);
}
