#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::test_endpoint::{Answer, FakeEndpoint, sdk};

fn watcher() -> WatcherId {
    "L0SM9cOFvHcCIhw=".parse::<WatcherId>().unwrap()
}

#[tokio::test]
async fn a_poke_says_that_something_changed() {
    let endpoint = FakeEndpoint::with(Answer::Status(200, "")).await;
    let outcome = endpoint.push.poke(&watcher()).await.unwrap();
    assert_eq!(outcome, PokeOutcome::Sent);
    assert_eq!(
        endpoint.asked(),
        [r#"POST /prod/@connections/L0SM9cOFvHcCIhw%3D {"changed":true}"#]
    );
}

#[tokio::test]
async fn whoever_is_gone_is_gone() {
    let endpoint = FakeEndpoint::with(Answer::Status(410, "GoneException")).await;
    let outcome = endpoint.push.poke(&watcher()).await.unwrap();
    assert_eq!(outcome, PokeOutcome::Gone);
    endpoint.push.close(&watcher()).await.unwrap();
    assert_eq!(endpoint.asked().len(), 2, "neither is tried again");
}

#[tokio::test]
async fn a_connection_is_ended() {
    let endpoint = FakeEndpoint::with(Answer::Status(204, "")).await;
    endpoint.push.close(&watcher()).await.unwrap();
    assert_eq!(
        endpoint.asked(),
        ["DELETE /prod/@connections/L0SM9cOFvHcCIhw%3D"]
    );
}

#[tokio::test]
async fn a_refusal_is_told_by_its_name() {
    let endpoint = FakeEndpoint::with(Answer::Status(403, "ForbiddenException")).await;
    let error = endpoint.push.poke(&watcher()).await.unwrap_err();
    let told = countersign_api::Causes(&error).to_string();
    assert!(told.contains("ForbiddenException"), "{told}");
    let error = endpoint.push.close(&watcher()).await.unwrap_err();
    assert_eq!(error.what(), "push: close");
}

#[tokio::test]
async fn what_is_throttled_is_tried_once_more() {
    let endpoint = FakeEndpoint::with(Answer::Status(429, "LimitExceededException")).await;
    assert!(endpoint.push.poke(&watcher()).await.is_err());
    assert_eq!(endpoint.asked().len(), 2);
}

#[tokio::test]
async fn silence_ends_within_a_bound() {
    let endpoint = FakeEndpoint::with(Answer::Silence).await;
    let error = endpoint.push.poke(&watcher()).await.unwrap_err();
    let told = countersign_api::Causes(&error).to_string();
    assert!(
        told.contains("timeout") || told.contains("timed out"),
        "{told}"
    );
}

#[tokio::test]
async fn an_api_that_is_not_there_is_said_to_be_so() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", closed.local_addr().unwrap());
    drop(closed);
    let push = SocketPush::new(&sdk(), &Endpoint::parse(&url).unwrap());
    let error = push.connect().await.unwrap_err();
    assert_eq!(error.what(), "push: connect");
    assert!(push.poke(&watcher()).await.is_err());
}
