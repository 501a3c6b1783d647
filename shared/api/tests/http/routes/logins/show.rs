//! `GET /qr-sessions/{id}`.

use countersign_conformance::samples::logins::mobile_token;
use serde_json::json;
use std::time::Duration;

use crate::host::{Host, Opened, asked};

#[tokio::test]
async fn unchanged_status_is_answered_304() {
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
    // The server's time does not affect the tag.
    host.clock.advance(Duration::from_secs(1));
    let later = host.browser("GET", &opened, "").await;
    assert_ne!(later.json()["serverTime"], first.json()["serverTime"]);
    assert_eq!(later.header("etag"), Some(tag.as_str()));
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
    // The status changes without a write.
    let tag = changed.header("etag").unwrap().to_owned();
    host.clock.advance(Duration::from_mins(3));
    assert_eq!(asked_with(&tag).await.json()["state"], "expired");
}

/// The phone can see that the browser gave up, or that the login expired.
#[tokio::test]
async fn phone_sees_the_same_status_as_the_browser() {
    let host = Host::new().await;
    let opened = host.open().await;
    let phone = Opened {
        token: mobile_token(1).reveal(),
        ..opened.clone()
    };
    let early = host.browser("GET", &phone, "").await;
    assert_eq!(early.code(), "session_not_found");
    host.initiate(&opened, 1, json!({})).await;
    for state in ["scanned", "cancelled"] {
        let answers = [&opened, &phone].map(|device| host.browser("GET", device, ""));
        let [browser, phone] = futures_util::future::join_all(answers)
            .await
            .try_into()
            .unwrap();
        assert_eq!(browser.json(), phone.json());
        assert_eq!(phone.json()["state"], state);
        host.browser("DELETE", &opened, "").await;
    }
}

#[tokio::test]
async fn bearer_token_has_one_form() {
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
    // A malformed token gets the same answer as a wrong one.
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
