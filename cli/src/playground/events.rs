//! Event streams for pages that watch a confirmation: a server-sent event named `state` contains the complete state
//! after each change, which is the confirmation as the API returns it, and the received webhooks.
//!
//! Each event is complete, so a page that lost the connection only needs the next one.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use countersign_api::Problem;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::sleep;
use tracing::Dispatch;
use tracing::instrument::WithSubscriber as _;

use super::Shared;
use super::confirmations::{Arrivals, Confirmation};

/// Interval between API calls while a change is expected: the confirmation can expire, the text can
/// arrive from elsewhere, or an attempt can be recorded.
const BUSY_INTERVAL: Duration = Duration::from_millis(250);

/// Interval between API calls while no change is expected.
const IDLE_INTERVAL: Duration = Duration::from_secs(2);

/// Interval between keep-alive comments on an idle stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Time that a browser waits before it reconnects.
const RECONNECT: Duration = Duration::from_secs(1);

/// Handles `GET /playground/confirmations/{token}/events`. Streams the states until the server stops. Fails if too many
/// pages are watching.
pub(super) async fn watch(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
) -> Result<Response, Problem> {
    let started = shared.started(&token)?;
    let page = Page {
        _permit: shared.watcher()?,
        stopping: shared.stopping.clone(),
        sent: None,
        watched: WatchedConfirmation {
            arrivals: started.watch(),
            shared,
            started,
            awaited: true,
        },
    };
    let events = stream::unfold(page, async |mut page| {
        let event = page.next().await?;
        Some((Ok::<_, Infallible>(event), page))
    });
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    Ok(Sse::new(events).keep_alive(keep_alive).into_response())
}

/// A watching page.
struct Page {
    watched: WatchedConfirmation,
    stopping: watch::Receiver<bool>,
    /// The last state sent.
    sent: Option<String>,
    _permit: OwnedSemaphorePermit,
}

impl Page {
    /// Returns the next event; `None` once the server stops.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if *self.stopping.borrow() {
                return None;
            }
            let state = self.watched.look().await;
            if self.sent.as_ref() != Some(&state) {
                let event = Event::default().event("state").data(&state);
                let first = self.sent.replace(state).is_none();
                return Some(if first { event.retry(RECONNECT) } else { event });
            }
            tokio::select! {
                stopped = self.stopping.changed() => stopped.ok()?,
                () = self.watched.pause() => {}
            }
        }
    }
}

struct WatchedConfirmation {
    shared: Arc<Shared>,
    started: Arc<Confirmation>,
    arrivals: watch::Receiver<Arrivals>,
    /// True if a change is expected.
    awaited: bool,
}

impl WatchedConfirmation {
    /// Returns the complete state as JSON.
    async fn look(&mut self) -> String {
        // Read before calling the API, so that a webhook that arrives in the meantime counts as a
        // change.
        let webhooks = self.arrivals.borrow_and_update().kept.clone();
        let webhooks: Vec<_> = webhooks.iter().map(AsRef::as_ref).collect();
        // Runs several times a second, so errors are not logged each time.
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
                // Omits the request id, which is different each time.
                let problem = json!({ "title": problem["title"], "detail": problem["detail"] });
                json!({ "problem": problem, "webhooks": webhooks }).to_string()
            }
        }
    }

    /// Waits until the state may have changed.
    async fn pause(&mut self) {
        let pause = if self.awaited {
            BUSY_INTERVAL
        } else {
            IDLE_INTERVAL
        };
        tokio::select! {
            _ = self.arrivals.changed() => {}
            () = sleep(pause) => {}
        }
    }
}

/// Returns whether a change of a confirmation, as returned by the API, is expected.
fn is_awaited(confirmation: &Value) -> bool {
    confirmation["status"] == "open" || confirmation["delivery"]["status"] == "pending"
}
