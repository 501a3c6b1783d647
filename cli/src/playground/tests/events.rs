//! Events for pages that watch.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::StatusCode;
use countersign_api::ProblemCode;
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::time::timeout;

use super::Fixture;
use super::fake_api::MESSAGE;

/// Timeout that only a hanging test reaches.
const HANG: Duration = Duration::from_mins(1);

/// A page that watches events.
pub(super) struct Watching {
    stream: BodyDataStream,
    read: String,
}

impl Watching {
    pub(super) async fn begin(fixture: &Fixture, confirmation: &str) -> Self {
        let path = format!("{confirmation}/events");
        let response = fixture.begin("GET", &path, &[], "").await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            stream: Body::into_data_stream(response.into_body()),
            read: String::new(),
        }
    }

    /// Returns the next state; `None` at the end of the stream.
    pub(super) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.read.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.read = rest;
                let data = event.lines().find_map(|line| line.strip_prefix("data: "));
                if let Some(data) = data {
                    assert!(event.lines().any(|line| line == "event: state"));
                    return Some(serde_json::from_str(data).unwrap());
                }
            } else {
                let chunk = timeout(HANG, self.stream.next()).await.unwrap()?;
                self.read += std::str::from_utf8(&chunk.unwrap()).unwrap();
            }
        }
    }
}

#[tokio::test]
async fn change_is_sent_once() {
    let fixture = Fixture::new();
    let confirmation = fixture.acquisition().await;
    let mut watching = Watching::begin(&fixture, &confirmation).await;
    let first = watching.next().await.unwrap();
    assert_eq!(first["confirmation"]["status"], "open");
    assert_eq!(first["webhooks"].as_array().unwrap().len(), 0);

    let text = format!(r#"{{"from":"+12025550100","message":"{MESSAGE}"}}"#);
    fixture
        .own("POST", &format!("{confirmation}/text"), &text)
        .await;
    let second = watching.next().await.unwrap();
    assert_eq!(second["confirmation"]["status"], "verified");
}

#[tokio::test]
async fn change_from_elsewhere_is_sent() {
    let fixture = Fixture::new();
    let confirmation = fixture.acquisition().await;
    let mut watching = Watching::begin(&fixture, &confirmation).await;
    watching.next().await.unwrap();
    *fixture.api.status.lock().unwrap() = "expired";
    let state = watching.next().await.unwrap();
    assert_eq!(state["confirmation"]["status"], "expired");
}

#[tokio::test]
async fn webhook_is_sent_as_it_arrives() {
    let fixture = Fixture::new();
    let confirmation = fixture.acquisition().await;
    let mut watching = Watching::begin(&fixture, &confirmation).await;
    watching.next().await.unwrap();
    let path = confirmation.replace("/confirmations/", "/webhooks/");
    fixture.ask("POST", &path, &[], "{}").await;
    let state = watching.next().await.unwrap();
    assert_eq!(state["webhooks"][0]["verdict"], "signatureMissing");
}

#[tokio::test]
async fn stopping_server_ends_the_streams() {
    let fixture = Fixture::new();
    let confirmation = fixture.acquisition().await;
    let mut watching = Watching::begin(&fixture, &confirmation).await;
    watching.next().await.unwrap();
    fixture.stop.send(true).unwrap();
    assert_eq!(watching.next().await, None);
}

#[tokio::test]
async fn watchers_are_bounded_and_leaving_ones_make_room() {
    let fixture = Fixture::new();
    let confirmation = fixture.acquisition().await;
    let mut watching = Vec::new();
    for _ in 0..super::super::MAX_WATCHERS {
        watching.push(Watching::begin(&fixture, &confirmation).await);
    }
    let path = format!("{confirmation}/events");
    let refused = fixture.ask("GET", &path, &[], "").await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.problem, Some(ProblemCode::ServiceUnavailable));
    watching.pop();
    Watching::begin(&fixture, &confirmation).await;
}
