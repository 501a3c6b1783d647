//! What a page that watches is told.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::StatusCode;
use countersign_api::ProblemCode;
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::time::timeout;

use super::Fixture;
use super::fake_api::MESSAGE;

/// Longer than any of this takes; only a hang gets there.
const HANG: Duration = Duration::from_secs(20);

/// A page that watches.
pub(super) struct Watching {
    stream: BodyDataStream,
    read: String,
}

impl Watching {
    pub(super) async fn begin(fixture: &Fixture, session: &str) -> Self {
        let path = format!("{session}/events");
        let response = fixture.begin("GET", &path, &[], "").await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            stream: Body::into_data_stream(response.into_body()),
            read: String::new(),
        }
    }

    /// The next state; `None` at the end of the stream.
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
async fn a_change_is_told_and_nothing_else() {
    let fixture = Fixture::new();
    let session = fixture.acquisition().await;
    let mut watching = Watching::begin(&fixture, &session).await;
    let first = watching.next().await.unwrap();
    assert_eq!(first["confirmation"]["status"], "open");
    assert_eq!(first["webhooks"].as_array().unwrap().len(), 0);

    let text = format!(r#"{{"from":"+12025550100","message":"{MESSAGE}"}}"#);
    fixture.own("POST", &format!("{session}/text"), &text).await;
    let second = watching.next().await.unwrap();
    assert_eq!(second["confirmation"]["status"], "verified");
}

#[tokio::test]
async fn a_change_that_comes_from_elsewhere_is_told_too() {
    let fixture = Fixture::new();
    let session = fixture.acquisition().await;
    let mut watching = Watching::begin(&fixture, &session).await;
    watching.next().await.unwrap();
    *fixture.api.status.lock().unwrap() = "expired";
    let state = watching.next().await.unwrap();
    assert_eq!(state["confirmation"]["status"], "expired");
}

#[tokio::test]
async fn a_webhook_is_told_as_it_comes() {
    let fixture = Fixture::new();
    let session = fixture.acquisition().await;
    let mut watching = Watching::begin(&fixture, &session).await;
    watching.next().await.unwrap();
    let path = session.replace("/sessions/", "/webhooks/");
    fixture.ask("POST", &path, &[], "{}").await;
    let state = watching.next().await.unwrap();
    assert_eq!(state["webhooks"][0]["verdict"], "signatureMissing");
}

#[tokio::test]
async fn a_server_that_stops_ends_the_streams() {
    let fixture = Fixture::new();
    let session = fixture.acquisition().await;
    let mut watching = Watching::begin(&fixture, &session).await;
    watching.next().await.unwrap();
    fixture.stop.send(true).unwrap();
    assert_eq!(watching.next().await, None);
}

#[tokio::test]
async fn watchers_are_bounded_and_make_room_when_they_leave() {
    let fixture = Fixture::new();
    let session = fixture.acquisition().await;
    let mut watching = Vec::new();
    for _ in 0..super::super::MAX_WATCHERS {
        watching.push(Watching::begin(&fixture, &session).await);
    }
    let path = format!("{session}/events");
    let refused = fixture.ask("GET", &path, &[], "").await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.problem, Some(ProblemCode::ServiceUnavailable));
    watching.pop();
    Watching::begin(&fixture, &session).await;
}
