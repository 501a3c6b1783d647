#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::test_endpoint::{FakeAnswer, FakeEndpoint, sdk};

fn watcher() -> WatcherId {
    "L0SM9cOFvHcCIhw=".parse::<WatcherId>().unwrap()
}

#[tokio::test]
async fn notification_says_that_something_changed() {
    let endpoint = FakeEndpoint::with(FakeAnswer::Status(200, "")).await;
    let outcome = endpoint.push.notify(&watcher()).await.unwrap();
    assert_eq!(outcome, NotifyOutcome::Sent);
    assert_eq!(
        endpoint.asked(),
        [r#"POST /prod/@connections/L0SM9cOFvHcCIhw%3D {"changed":true}"#]
    );
}

#[tokio::test]
async fn ended_connection_is_gone() {
    let endpoint = FakeEndpoint::with(FakeAnswer::Status(410, "GoneException")).await;
    let outcome = endpoint.push.notify(&watcher()).await.unwrap();
    assert_eq!(outcome, NotifyOutcome::Gone);
    endpoint.push.close(&watcher()).await.unwrap();
    assert_eq!(endpoint.asked().len(), 2, "neither is retried");
}

#[tokio::test]
async fn close_deletes_the_connection() {
    let endpoint = FakeEndpoint::with(FakeAnswer::Status(204, "")).await;
    endpoint.push.close(&watcher()).await.unwrap();
    assert_eq!(
        endpoint.asked(),
        ["DELETE /prod/@connections/L0SM9cOFvHcCIhw%3D"]
    );
}

#[tokio::test]
async fn error_names_the_refusal() {
    let endpoint = FakeEndpoint::with(FakeAnswer::Status(403, "ForbiddenException")).await;
    let error = endpoint.push.notify(&watcher()).await.unwrap_err();
    let text = countersign_api::Causes(&error).to_string();
    assert!(text.contains("ForbiddenException"), "{text}");
    let error = endpoint.push.close(&watcher()).await.unwrap_err();
    assert_eq!(error.what(), "push: close");
}

#[tokio::test]
async fn throttled_poke_is_retried_once() {
    let endpoint = FakeEndpoint::with(FakeAnswer::Status(429, "LimitExceededException")).await;
    assert!(endpoint.push.notify(&watcher()).await.is_err());
    assert_eq!(endpoint.asked().len(), 2);
}

#[tokio::test]
async fn silent_api_times_out() {
    let endpoint = FakeEndpoint::with(FakeAnswer::Silence).await;
    let error = endpoint.push.notify(&watcher()).await.unwrap_err();
    let text = countersign_api::Causes(&error).to_string();
    assert!(
        text.contains("timeout") || text.contains("timed out"),
        "{text}"
    );
}

#[tokio::test]
async fn unreachable_api_fails_the_connection() {
    // The port is bound but not listened on.
    let closed = tokio::net::TcpSocket::new_v4().unwrap();
    closed.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let url = format!("http://{}", closed.local_addr().unwrap());
    let push = SocketPush::new(&sdk(), &url.parse().unwrap());
    let error = push.connect().await.unwrap_err();
    assert_eq!(error.what(), "push: connect");
    assert!(push.notify(&watcher()).await.is_err());
}
