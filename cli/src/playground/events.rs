//! What a page that watches is told: the whole of what is known, each time that it changed.
//!
//! A Server-Sent Event named `state` holds the confirmation as the API answers it, and the webhooks
//! that came. Each stands alone, so a page that lost the connection needs nothing but the next one.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use countersign_api::{Problem, ProblemCode};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::sleep;
use tracing::Dispatch;
use tracing::instrument::WithSubscriber as _;

use super::Shared;
use super::sessions::{Arrivals, Session};

/// How often the API is asked while something is bound to happen: the session can expire, the text
/// can come from elsewhere, an attempt can be written down.
const SOON: Duration = Duration::from_millis(250);

/// How often it is asked once nothing is awaited.
const IDLE: Duration = Duration::from_secs(2);

/// How often an idle stream says that it is there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How long a browser waits before it connects again.
const RECONNECT: Duration = Duration::from_secs(1);

/// `GET /playground/sessions/{token}/events`.
pub(super) async fn watch(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
) -> Result<Response, Problem> {
    let session = shared.session(&token)?;
    let permit = Arc::clone(&shared.watchers)
        .try_acquire_owned()
        .map_err(|_| Problem::new(ProblemCode::ServiceUnavailable))?;
    let watcher = Watcher {
        arrivals: session.watch(),
        stopping: shared.stopping.clone(),
        shared,
        session,
        told: None,
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
    session: Arc<Session>,
    arrivals: watch::Receiver<Arrivals>,
    stopping: watch::Receiver<bool>,
    /// What it was told last.
    told: Option<String>,
    /// Whether something is bound to happen.
    awaited: bool,
    _permit: OwnedSemaphorePermit,
}

impl Watcher {
    /// The next thing to tell; `None` once the server stops.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if *self.stopping.borrow() {
                return None;
            }
            let state = self.look().await;
            if self.told.as_ref() != Some(&state) {
                let event = Event::default().event("state").data(&state);
                let first = self.told.replace(state).is_none();
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

    /// Everything that is known, as JSON.
    async fn look(&mut self) -> String {
        // Before the API is asked, so that what comes meanwhile counts as a change.
        let webhooks = self.arrivals.borrow_and_update().kept.clone();
        let webhooks: Vec<_> = webhooks.iter().map(AsRef::as_ref).collect();
        // Several times a second, so not worth a line in the log each time.
        let asked = self.shared.confirmation(&self.session);
        match asked.with_subscriber(Dispatch::none()).await {
            Ok(answer) if answer.status.is_success() => {
                let confirmation = answer.json().unwrap_or_default();
                self.awaited = is_awaited(&confirmation);
                json!({ "confirmation": confirmation, "webhooks": webhooks }).to_string()
            }
            failed => {
                self.awaited = false;
                let problem = failed.and_then(|answer| answer.json()).unwrap_or_default();
                // Not its request id, which is another each time.
                let problem = json!({ "title": problem["title"], "detail": problem["detail"] });
                json!({ "problem": problem, "webhooks": webhooks }).to_string()
            }
        }
    }
}

/// Whether a confirmation, as the API answers it, is bound to change.
fn is_awaited(confirmation: &Value) -> bool {
    confirmation["status"] == "open" || confirmation["delivery"]["status"] == "pending"
}
