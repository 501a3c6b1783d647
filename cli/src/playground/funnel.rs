//! Counters for the page that shows how far people get.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use countersign_api::Problem;
use futures_util::stream;
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::sleep;

use super::Shared;
use super::events::{KEEP_ALIVE, RECONNECT};

/// Interval between looks at the counters.
const INTERVAL: Duration = Duration::from_secs(1);

/// Handles `GET /playground/funnel/events`: a server-sent event named `state` holds the counters of apps and
/// providers, each time one has changed.
pub(super) async fn watch(State(shared): State<Arc<Shared>>) -> Result<Response, Problem> {
    let watcher = Watcher {
        _permit: shared.watcher()?,
        stopping: shared.stopping.clone(),
        shared,
        sent: None,
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
    stopping: watch::Receiver<bool>,
    /// The state that was sent last.
    sent: Option<String>,
    _permit: OwnedSemaphorePermit,
}

impl Watcher {
    /// Returns the next event; `None` once the server stops.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if *self.stopping.borrow() {
                return None;
            }
            let state = self.look();
            if self.sent.as_ref() != Some(&state) {
                let event = Event::default().event("state").data(&state);
                self.sent = Some(state);
                return Some(event.retry(RECONNECT));
            }
            tokio::select! {
                stopped = self.stopping.changed() => stopped.ok()?,
                () = sleep(INTERVAL) => {}
            }
        }
    }

    /// Returns the counters as JSON, without those that concern the server alone.
    fn look(&self) -> String {
        let mut series = self.shared.counters.series();
        series.retain(|it| it.count > 0 && !(it.app.is_empty() && it.provider.is_empty()));
        series.sort();
        let since = self.shared.started_at.to_string();
        json!({ "since": since, "series": series }).to_string()
    }
}
