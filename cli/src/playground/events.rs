//! Events for pages that watch a confirmation: the complete state, each time it changes.
//!
//! A server-sent event named `state` holds the confirmation as the API returns it and the webhooks
//! that arrived. Each event stands alone, so a page that lost the connection only needs the next
//! one.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use countersign_api::Problem;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::sleep;
use tracing::Dispatch;
use tracing::instrument::WithSubscriber as _;

use super::Shared;
use super::confirmations::{Arrivals, Confirmation};

/// Interval between calls of the API while something is bound to happen: the confirmation can
/// expire, the text can arrive from elsewhere, an attempt can be recorded.
const SOON: Duration = Duration::from_millis(250);

/// Interval between calls of the API when nothing is expected.
const IDLE: Duration = Duration::from_secs(2);

/// Interval between keep-alive comments on an idle stream.
pub(super) const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Time that a browser waits before it reconnects.
pub(super) const RECONNECT: Duration = Duration::from_secs(1);

/// Handles `GET /playground/confirmations/{token}/events`.
pub(super) async fn watch(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
) -> Result<Response, Problem> {
    let started = shared.started(&token)?;
    let permit = shared.watcher()?;
    let watcher = Watcher {
        arrivals: started.watch(),
        stopping: shared.stopping.clone(),
        shared,
        started,
        sent: None,
        awaited: true,
        _permit: permit,
    };
    let events = stream::unfold(watcher, async |mut watcher| {
        let event = watcher.next().await?;
        Some((Ok::<_, Infallible>(event), watcher))
    });
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    Ok(Sse::new(events).keep_alive(keep_alive).into_response())
}

/// A page that watches.
struct Watcher {
    shared: Arc<Shared>,
    started: Arc<Confirmation>,
    arrivals: watch::Receiver<Arrivals>,
    stopping: watch::Receiver<bool>,
    /// The state that was sent last.
    sent: Option<String>,
    /// True if something is bound to happen.
    awaited: bool,
    _permit: OwnedSemaphorePermit,
}

impl Watcher {
    /// Returns the next event; `None` once the server stops.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if *self.stopping.borrow() {
                return None;
            }
            let state = self.look().await;
            if self.sent.as_ref() != Some(&state) {
                let event = Event::default().event("state").data(&state);
                let first = self.sent.replace(state).is_none();
                return Some(if first { event.retry(RECONNECT) } else { event });
            }
            let pause = if self.awaited { SOON } else { IDLE };
            tokio::select! {
                _ = self.arrivals.changed() => {}
                stopped = self.stopping.changed() => stopped.ok()?,
                () = sleep(pause) => {}
            }
        }
    }

    /// Returns the complete state as JSON.
    async fn look(&mut self) -> String {
        // Read before calling the API, so that webhooks that arrive meanwhile count as a change.
        let webhooks = self.arrivals.borrow_and_update().kept.clone();
        let webhooks: Vec<_> = webhooks.iter().map(AsRef::as_ref).collect();
        // Runs several times a second, so it is not worth a log line each time.
        let asked = self.shared.fetch(&self.started);
        match asked.with_subscriber(Dispatch::none()).await {
            Ok(answer) if answer.status.is_success() => {
                let confirmation = answer.json().unwrap_or_default();
                self.awaited = is_awaited(&confirmation);
                json!({ "confirmation": confirmation, "webhooks": webhooks }).to_string()
            }
            failed => {
                self.awaited = false;
                let problem = failed.and_then(|answer| answer.json()).unwrap_or_default();
                // Without the request id, which differs each time.
                let problem = json!({ "title": problem["title"], "detail": problem["detail"] });
                json!({ "problem": problem, "webhooks": webhooks }).to_string()
            }
        }
    }
}

/// Returns whether a confirmation, as the API returns it, is bound to change.
fn is_awaited(confirmation: &Value) -> bool {
    confirmation["status"] == "open" || confirmation["delivery"]["status"] == "pending"
}
