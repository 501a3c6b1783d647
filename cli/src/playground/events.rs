//! Events for pages that watch a confirmation.
//!
//! The state contains the confirmation as the API returns it, and the received webhooks.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::Response;
use countersign_api::Problem;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::Dispatch;
use tracing::instrument::WithSubscriber as _;

use super::Shared;
use super::changes::{Watched, stream};
use super::confirmations::{Arrivals, Confirmation};

/// Interval between API calls while a change is expected: the confirmation can expire, the text can
/// arrive from elsewhere, or an attempt can be recorded.
const BUSY_INTERVAL: Duration = Duration::from_millis(250);

/// Interval between API calls while no change is expected.
const IDLE_INTERVAL: Duration = Duration::from_secs(2);

/// Handles `GET /playground/confirmations/{token}/events`.
pub(super) async fn watch(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
) -> Result<Response, Problem> {
    let started = shared.started(&token)?;
    let watched = WatchedConfirmation {
        arrivals: started.watch(),
        shared: Arc::clone(&shared),
        started,
        awaited: true,
    };
    stream(&shared, watched)
}

struct WatchedConfirmation {
    shared: Arc<Shared>,
    started: Arc<Confirmation>,
    arrivals: watch::Receiver<Arrivals>,
    /// True if a change is expected.
    awaited: bool,
}

impl Watched for WatchedConfirmation {
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
