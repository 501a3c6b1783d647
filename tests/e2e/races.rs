//! Concurrent requests have exactly one outcome and one webhook id.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::json;
use tokio::task::JoinSet;

use crate::support::{Receiver, Server, data_dir, deliver_text};

#[tokio::test(flavor = "multi_thread")]
async fn one_of_sixty_four_concurrent_texts_wins() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let (id, message) = server.acquire(&receiver.url).await;
    let facts = Arc::new(server.facts.clone());
    let mut texts = JoinSet::new();
    for number in 0..64 {
        let (facts, message) = (Arc::clone(&facts), message.clone());
        texts.spawn(async move {
            let from = format!("+120255501{number:02}");
            deliver_text(&facts, &format!("text-{number}"), &from, &message)
                .await
                .unwrap()
                .status
        });
    }
    for status in texts.join_all().await {
        assert!((200..300).contains(&status), "{status}");
    }
    let status = server.delivered(&id).await;
    let webhook = receiver.next().await;
    assert_eq!(
        webhook.json()["phoneNumber"],
        status["result"]["phoneNumber"]
    );
    assert!(receiver.arrived().await.is_none(), "one text, one webhook");
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_text_counts_once() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let (id, message) = server.acquire(&receiver.url).await;
    let facts = Arc::new(server.facts.clone());
    let mut texts = JoinSet::new();
    for _ in 0..32 {
        let (facts, message) = (Arc::clone(&facts), message.clone());
        texts.spawn(async move {
            deliver_text(&facts, "text-1", "+12025550100", &message)
                .await
                .unwrap()
                .status
        });
    }
    assert!(
        texts
            .join_all()
            .await
            .iter()
            .all(|status| (200..300).contains(status))
    );
    server.delivered(&id).await;
    receiver.next().await;
    assert!(receiver.arrived().await.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn text_and_cancellation_never_both_succeed() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let mut verified = HashSet::new();
    for round in 0..32 {
        let (id, message) = server.acquire(&receiver.url).await;
        let path = format!("/confirmations/{id}");
        let text_id = format!("text-{round}");
        let caller = server.caller();
        let (text, cancelled) = tokio::join!(
            deliver_text(&server.facts, &text_id, "+12025550100", &message),
            caller.call("DELETE", &path, None),
        );
        assert!((200..300).contains(&text.unwrap().status));
        let status = server.caller().get(&path).await.ok()["status"].clone();
        match cancelled.status {
            200 => assert_eq!(status, "cancelled"),
            409 => {
                assert_eq!(status, "verified");
                verified.insert(id);
            }
            other => panic!("{other}"),
        }
    }
    for _ in 0..verified.len() {
        assert!(verified.contains(&receiver.next().await.confirmation_id()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_with_one_idempotency_key_start_one_confirmation() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let caller = server.caller().with("idempotency-key", "order-17");
    let request = json!({"callbackUrl": receiver.url});
    let mut calls = JoinSet::new();
    for _ in 0..32 {
        let (caller, request) = (caller.clone(), request.clone());
        calls.spawn(async move {
            caller
                .post("/acquire-phone-number", &request)
                .await
                .lasting()
        });
    }
    let answers = calls.join_all().await;
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}
