//! Counters for the page that shows how far users get.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use countersign_api::Problem;
use serde_json::json;
use tokio::time::sleep;

use super::Shared;
use super::changes::{Watched, stream};
use super::reasons::reasons;

/// Interval between readings of the counters.
const INTERVAL: Duration = Duration::from_secs(1);

/// Handles `GET /playground/funnel/events`: the state contains the counters of apps and providers.
pub(super) async fn watch(State(shared): State<Arc<Shared>>) -> Result<Response, Problem> {
    stream(&shared, Funnel(Arc::clone(&shared)))
}

struct Funnel(Arc<Shared>);

impl Watched for Funnel {
    /// Returns the counters as JSON, without the counters that concern only the server.
    async fn look(&mut self) -> String {
        let counters = Arc::clone(&self.0.counters);
        let series = tokio::task::spawn_blocking(move || counters.series()).await;
        let mut series = series.unwrap_or_default();
        series.retain(|it| it.count > 0 && !(it.app.is_empty() && it.provider.is_empty()));
        series.sort();
        let since = self.0.started_at.to_string();
        json!({ "since": since, "reasons": reasons(), "series": series }).to_string()
    }

    async fn pause(&mut self) {
        sleep(INTERVAL).await;
    }
}
