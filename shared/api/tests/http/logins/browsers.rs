//! What browsers ask, and what they are answered.

use std::time::Duration;

use countersign_domain::login::{BrowserPublicKey, BrowserToken};
use serde_json::json;

use crate::host::{BROWSER, Host, LINK_HOST, SHOP, asked, log};

#[tokio::test]
async fn a_login_from_the_code_to_the_payload() {
    let host = Host::new().await;
    let answer = host.open_from(SHOP, BROWSER, json!({})).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let session = answer.json();
    let opened = crate::host::Opened::of(&answer);
    let members: Vec<_> = session.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        ["browserToken", "expiresAt", "sessionId", "socketUrl", "url"]
    );
    let url = format!("https://{LINK_HOST}?sessionId={}", opened.id);
    assert_eq!(session["url"], url);
    assert_eq!(session["socketUrl"], "wss://api.shop.example/socket");
    assert_eq!(session["expiresAt"], "2026-01-02T03:05:05.678Z");
    assert!(opened.token.parse::<BrowserToken>().is_ok());

    let status = host.browser("GET", &opened, "").await;
    let expected = json!({"state": "created", "expiresAt": "2026-01-02T03:05:05.678Z"});
    assert_eq!(status.json(), expected);
    assert_eq!(host.initiate(&opened, 1, json!({})).await.status, 200);
    let status = host.browser("GET", &opened, "").await;
    let expected = json!({"state": "scanned", "expiresAt": "2026-01-02T03:07:05.678Z"});
    assert_eq!(status.json(), expected);
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
async fn the_link_carries_the_hash_of_the_browsers_key() {
    let host = Host::new().await;
    let key = BrowserPublicKey::from_bytes([4; 65]).unwrap();
    let body = json!({"browserPublicKey": key.to_string()});
    let session = host.open_from(SHOP, BROWSER, body).await.json();
    let url = session["url"].as_str().unwrap();
    let id = session["sessionId"].as_str().unwrap();
    let expected = format!("https://{LINK_HOST}?sessionId={id}#k={}", key.hash());
    assert_eq!(url, expected);
    for absent in [json!({}), json!({"browserPublicKey": null})] {
        let session = host.open_from(SHOP, BROWSER, absent).await.json();
        assert!(!session["url"].as_str().unwrap().contains('#'));
    }
}

#[tokio::test]
async fn a_status_that_did_not_change_is_not_sent_again() {
    let host = Host::new().await;
    let opened = host.open().await;
    let bearer = format!("Bearer {}", opened.token);
    let asked_with = |tags: &str| {
        let headers = [("authorization", bearer.as_str()), ("if-none-match", tags)];
        host.send(asked("GET", &opened.path(""), &headers, None))
    };
    let first = host.browser("GET", &opened, "").await;
    assert_eq!(first.header("cache-control"), Some("private, no-cache"));
    let tag = first.header("etag").unwrap().to_owned();
    assert!(tag.starts_with('"') && tag.ends_with('"'), "{tag}");
    for tags in [
        tag.clone(),
        format!("W/{tag}"),
        format!("\"x\", {tag}"),
        "*".to_owned(),
    ] {
        let answer = asked_with(&tags).await;
        assert_eq!(answer.status, 304, "{tags}");
        assert!(answer.body.is_empty());
        assert_eq!(answer.header("etag"), Some(tag.as_str()));
        assert_eq!(answer.header("cache-control"), Some("private, no-cache"));
    }
    assert_eq!(asked_with("\"x\"").await.status, 200);

    host.initiate(&opened, 1, json!({})).await;
    let changed = asked_with(&tag).await;
    assert_eq!(changed.json()["state"], "scanned");
    assert_ne!(changed.header("etag"), Some(tag.as_str()));
    // Nobody wrote anything, and yet it changed.
    let tag = changed.header("etag").unwrap().to_owned();
    host.clock.advance(Duration::from_mins(3));
    assert_eq!(asked_with(&tag).await.json()["state"], "expired");
}

#[tokio::test]
async fn a_session_that_is_given_up_is_over() {
    let host = Host::new().await;
    let opened = host.confirmed().await;
    let answer = host.browser("DELETE", &opened, "").await;
    assert_eq!(answer.status, 204);
    assert!(answer.body.is_empty());
    assert_eq!(host.state_of(&opened).await, "cancelled");
    let redeemed = host.browser("POST", &opened, "/redeem").await;
    assert_eq!(redeemed.code(), "session_cancelled");
    let again = host.browser("DELETE", &opened, "").await;
    assert_eq!(again.code(), "session_cancelled");
}

#[tokio::test]
async fn a_bearer_has_one_form() {
    let host = Host::new().await;
    let opened = host.open().await;
    let with = |values: Vec<String>| {
        let headers: Vec<_> = values
            .iter()
            .map(|value| ("authorization", value.as_str()))
            .collect();
        let request = asked("GET", &opened.path(""), &headers, None);
        host.send(request)
    };
    let token = &opened.token;
    for good in [format!("bearer {token}"), format!("BEARER  {token}")] {
        assert_eq!(with(vec![good]).await.status, 200);
    }
    for missing in [
        vec![],
        vec![String::new()],
        vec!["Bearer".to_owned()],
        vec!["Bearer  ".to_owned()],
        vec![token.clone()],
        vec![format!("Basic {token}")],
        vec![format!("Bearer {token}"), format!("Bearer {token}")],
    ] {
        let answer = with(missing).await;
        assert_eq!(answer.code(), "token_missing");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    // What is malformed is told what is told of a token that does not fit.
    for unfit in [
        format!("Bearer {token}="),
        format!("Bearer {token} {token}"),
        "Bearer x".to_owned(),
        "Bearer \u{e9}".to_owned(),
    ] {
        let answer = with(vec![unfit]).await;
        assert_eq!(answer.code(), "session_not_found");
        assert_eq!(answer.header("www-authenticate"), None);
    }
}

#[tokio::test]
async fn an_app_key_has_one_spelling_and_stands_there_once() {
    let host = Host::new().await;
    let key = Host::app_key();
    let key = key.as_str();
    let with = |keys: Vec<&str>| {
        let mut headers: Vec<_> = keys.iter().map(|key| ("x-app-key", *key)).collect();
        headers.push(("origin", SHOP));
        host.send(asked("POST", "/qr-sessions", &headers, None))
    };
    assert_eq!(with(vec![key]).await.status, 200);
    let other = &key.replace("cs_app_", "cs_app_0")[..key.len()];
    for (keys, code) in [
        (vec![], "app_key_missing"),
        (vec![key, key], "app_key_malformed"),
        (vec![""], "app_key_malformed"),
        (vec!["cs_app_x"], "app_key_malformed"),
        (vec!["é"], "app_key_malformed"),
        (vec![other], "app_key_unknown"),
    ] {
        let answer = with(keys).await;
        assert_eq!(answer.code(), code);
        assert_eq!(answer.status, 401);
        let challenge = answer.header("www-authenticate");
        assert_eq!(challenge, Some("AppKey header=\"x-app-key\""));
    }
    // The server's secret is no app key.
    let secret = with(vec![host.key.reveal()]).await;
    assert_eq!(secret.code(), "app_key_malformed");
}

#[tokio::test]
async fn the_log_names_the_session_and_holds_no_secret() {
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
    assert_eq!(lines[4]["fields"]["code"], "session_consumed");
    let text = log::text();
    let phone = countersign_conformance::samples::logins::mobile_token(1).reveal();
    for secret in ["s3cr3t", &opened.token, &phone, BROWSER] {
        assert!(!text.contains(secret), "{secret} stands in the log");
    }
}
