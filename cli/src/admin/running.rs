//! Requests that need the running server.

use std::sync::Arc;

use clap::Args;
use countersign_domain::app::CallbackRefusal;
use countersign_domain::delivery::queue::DeliveryQueue;
use countersign_domain::delivery::sender::{SendOutcome, WebhookSender};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::push::Push;
use countersign_domain::primitives::time::Clock;
use countersign_domain::use_cases::Times;
use countersign_domain::use_cases::test_webhook::{self, TestSent};
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_embedded::places::LiveCityDatabases;
use countersign_embedded::store::SqliteItems;
use countersign_inbound::RecentCalls;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::argument::callback_url;
use super::request::{Answer, Needs, Offer, Request};
use super::{Admin, AdminError, aside};
use crate::data_dir::PROVIDERS;
use crate::metrics::{Counters, Snapshot};
use crate::places;
use crate::print;
use crate::providers::LiveProviders;
use crate::schema::{Ours, Time};
use crate::terminal::plain;

/// The parts of a running server that commands use.
pub(crate) struct Running {
    /// The server's clock, which verifies jumps of the wall clock before it follows them.
    pub(crate) clock: Arc<dyn Clock>,
    /// The documents that the store changes.
    pub(crate) items: Arc<SqliteItems>,
    /// Wakes the dispatcher.
    pub(crate) queue: Arc<dyn DeliveryQueue>,
    /// The lifetimes of confirmations.
    pub(crate) times: Times,
    /// Notifies pages and phones.
    pub(crate) push: Arc<dyn Push>,
    /// Posts webhooks.
    pub(crate) sender: Arc<dyn WebhookSender>,
    /// The server's counters.
    pub(crate) counters: Arc<Counters>,
    /// The enabled SMS providers.
    pub(crate) providers: Arc<LiveProviders>,
    /// The last calls of SMS providers.
    pub(crate) calls: Arc<RecentCalls>,
    /// The files that map addresses to places.
    pub(crate) places: Arc<LiveCityDatabases>,
    /// The server's address and mode.
    pub(crate) server: RunningServer,
}

/// The arguments of `webhook test`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct TestWebhook {
    /// The app's name
    #[arg(long)]
    app: AppId,
    /// The URL, if not the app's default
    #[arg(long, value_name = "URL", value_parser = callback_url)]
    url: Option<CallbackUrl>,
}

/// Shows the running server's counters since it started.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ShowMetrics {}

/// Shows the counters in Prometheus's text format.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ExportMetrics {}

/// Shows the running server's address, mode and version.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ShowServer {}

/// Reads the settings of SMS providers again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RereadProviders {}

/// Reads the files of places again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RereadPlaces {}

/// The result of a test webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestResult {
    webhook_id: String,
    /// The HTTP status of the answer; `None` without an answer.
    status: Option<u16>,
    /// The first kilobyte of the answer's body; `None` if it has none.
    #[serde(default)]
    answer: Option<String>,
    /// Why there was no answer, as a stable identifier.
    failure: Option<String>,
    /// Time until the outcome, in milliseconds.
    duration_ms: u64,
}

impl From<TestSent> for TestResult {
    fn from(sent: TestSent) -> Self {
        let (status, answer, failure) = match &sent.outcome {
            SendOutcome::Answered {
                status, beginning, ..
            } => (Some(*status), harmless(beginning), None),
            SendOutcome::NoAnswer(reason) => (None, None, Some(reason.into_str().to_owned())),
        };
        Self {
            webhook_id: sent.webhook_id.as_str().to_owned(),
            status,
            answer,
            failure,
            duration_ms: u64::try_from(sent.duration.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// Returns a receiver's answer without characters that a terminal interprets; `None` if it is empty.
fn harmless(answer: &str) -> Option<String> {
    let lines: Vec<_> = answer.trim().lines().map(plain).collect();
    Some(lines.join("\n")).filter(|text| !text.is_empty())
}

impl TestResult {
    /// The answer of a receiver that looks the confirmation's id up, as it should: nothing was started with it.
    const UNKNOWN: u16 = 404;
}

impl Answer for TestResult {
    fn text(&self) -> String {
        let text = print::text(self);
        if self.status == Some(Self::UNKNOWN) {
            format!(
                "{text}\n\nA receiver that looks the id up answers 404, as this one did. So does a wrong path: its log \
                 should have the webhook."
            )
        } else {
            text
        }
    }

    /// Returns whether the receiver answered 2xx, or does not know the id.
    fn is_success(&self) -> bool {
        self.status
            .is_some_and(|status| (200..300).contains(&status) || status == Self::UNKNOWN)
    }
}

/// The running server's counters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Metrics {
    /// Events, and the latencies of first attempts.
    #[serde(flatten)]
    counted: Snapshot,
    /// Delivery attempts that are waiting or in flight.
    queued: usize,
    /// Number of write operations that the store has run.
    store_writes: u64,
    /// Number of times that the store has flushed writes to disk.
    store_flushes: u64,
}

impl Answer for Metrics {}

/// The counters in Prometheus's text format.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ExportedMetrics(String);

impl Answer for ExportedMetrics {
    fn text(&self) -> String {
        self.0.trim_end().to_owned()
    }
}

/// The running server's address and mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunningServer {
    /// The URL that API callers use.
    #[schemars(with = "Ours")]
    pub(crate) url: String,
    /// The URL that programs on the same machine use.
    #[schemars(with = "Ours")]
    pub(crate) nearby_url: String,
    /// True if the server is in local mode.
    pub(crate) local: bool,
    /// True if it has a source of places.
    pub(crate) knows_places: bool,
    #[schemars(with = "Ours")]
    pub(crate) version: String,
    /// UTC, ISO 8601 with milliseconds.
    #[schemars(with = "Time")]
    pub(crate) started_at: String,
}

impl Answer for RunningServer {}

impl Request for TestWebhook {
    const NAME: &'static str = "test_webhook";
    const NEEDS: Needs = Needs::Server;
    const OFFER: Offer = Offer::ToChange;
    type Answer = TestResult;

    async fn execute(self, admin: &Admin) -> Result<TestResult, AdminError> {
        let running = admin.running()?;
        let app = admin.find_app(&self.app).await?;
        if let Some(url) = &self.url {
            url.check(&admin.callbacks).map_err(CallbackRefusal::from)?;
        }
        let secrets = admin.master_secrets().await?;
        let ports = test_webhook::TestPorts {
            signer: admin.signing_keys()?,
            secrets: &secrets,
            sender: running.sender.as_ref(),
            clock: admin.clock.as_ref(),
            entropy: admin.entropy.as_ref(),
        };
        Ok(test_webhook::send(ports, &app, self.url).await?.into())
    }
}

impl Request for ShowMetrics {
    const NAME: &'static str = "show_metrics";
    const NEEDS: Needs = Needs::Server;
    type Answer = Metrics;

    async fn execute(self, admin: &Admin) -> Result<Metrics, AdminError> {
        let running = admin.running()?;
        let writes = running.items.write_counts();
        let counters = Arc::clone(&running.counters);
        Ok(Metrics {
            counted: aside(move || counters.snapshot()).await?,
            queued: running.items.pending_webhooks().await?,
            store_writes: writes.operations,
            store_flushes: writes.flushes,
        })
    }
}

impl Request for ExportMetrics {
    const NAME: &'static str = "export_metrics";
    const NEEDS: Needs = Needs::Server;
    const OFFER: Offer = Offer::Never;
    type Answer = ExportedMetrics;

    async fn execute(self, admin: &Admin) -> Result<ExportedMetrics, AdminError> {
        admin.export_metrics().await.map(ExportedMetrics)
    }
}

impl Request for ShowServer {
    const NAME: &'static str = "show_server";
    const NEEDS: Needs = Needs::Server;
    type Answer = RunningServer;

    async fn execute(self, admin: &Admin) -> Result<RunningServer, AdminError> {
        let running = admin.running()?;
        Ok(RunningServer {
            knows_places: running.server.knows_places || running.places.is_on(),
            ..running.server.clone()
        })
    }
}

impl Request for RereadProviders {
    const NAME: &'static str = "reread_providers";
    const NEEDS: Needs = Needs::Server;
    const OFFER: Offer = Offer::Never;
    type Answer = ();

    async fn execute(self, admin: &Admin) -> Result<(), AdminError> {
        let running = admin.running()?;
        running.providers.reread()?;
        if running.providers.has_file() {
            running.items.remember_companion(PROVIDERS).await?;
        }
        Ok(())
    }
}

impl Request for RereadPlaces {
    const NAME: &'static str = "reread_places";
    const NEEDS: Needs = Needs::Server;
    const OFFER: Offer = Offer::Never;
    type Answer = ();

    async fn execute(self, admin: &Admin) -> Result<(), AdminError> {
        let places = Arc::clone(&admin.running()?.places);
        Ok(places::reread(places).await?)
    }
}

impl Admin {
    /// Returns the counters in Prometheus's text format.
    pub(super) async fn export_metrics(&self) -> Result<String, AdminError> {
        let running = self.running()?;
        let (owed, writes) = (
            running.items.pending_webhooks().await?,
            running.items.write_counts(),
        );
        let counters = Arc::clone(&running.counters);
        Ok(aside(move || counters.to_prometheus(owed, writes)).await??)
    }

    pub(super) fn running(&self) -> Result<&Running, AdminError> {
        self.running.as_ref().ok_or(AdminError::NotRunning)
    }
}
