//! Commands that only a running server can carry out.

use std::sync::Arc;

use countersign_domain::app::CallbackRefusal;
use countersign_domain::delivery::sender::WebhookSender;
use countersign_domain::delivery::signing::Signer;
use countersign_domain::primitives::time::Clock;
use countersign_domain::use_cases::test_webhook;
use countersign_embedded::places::LivePlaces;
use countersign_embedded::store::SqliteItems;

use super::answer::{AdminAnswer, MetricsView, ServerView, TestView};
use super::command::WebhookTest;
use super::{Admin, AdminError, aside};
use crate::data_dir::PROVIDERS;
use crate::metrics::Counters;
use crate::places;
use crate::providers::LiveProviders;

/// The parts of a running server that commands use.
pub(crate) struct Running {
    /// The server's clock, which takes up jumps of the wall clock only after a check.
    pub(crate) clock: Arc<dyn Clock>,
    /// The documents that the store changes.
    pub(crate) items: Arc<SqliteItems>,
    /// Posts webhooks.
    pub(crate) sender: Arc<dyn WebhookSender>,
    /// The server's counters.
    pub(crate) counters: Arc<Counters>,
    /// The SMS providers that are on.
    pub(crate) providers: Arc<LiveProviders>,
    /// The files that tell where addresses are.
    pub(crate) places: Arc<LivePlaces>,
    /// The server's address and mode.
    pub(crate) server: ServerView,
}

impl Admin {
    pub(super) async fn test_webhook(&self, test: WebhookTest) -> Result<AdminAnswer, AdminError> {
        let running = self.running()?;
        let app = self.find_app(&test.app).await?;
        if let Some(url) = &test.url {
            url.judge(&self.callbacks).map_err(CallbackRefusal::from)?;
        }
        let signer: &dyn Signer = self.signing_keys()?;
        let secrets = self.master_secrets().await?;
        let ports = test_webhook::TestPorts {
            signer,
            secrets: &secrets,
            sender: running.sender.as_ref(),
            clock: self.clock.as_ref(),
            entropy: self.entropy.as_ref(),
        };
        Ok(AdminAnswer::Test(TestView::of(
            &test_webhook::send(ports, &app, test.url).await?,
        )))
    }

    pub(super) async fn show_metrics(&self) -> Result<AdminAnswer, AdminError> {
        let running = self.running()?;
        let writes = running.items.write_counts();
        let counters = Arc::clone(&running.counters);
        Ok(AdminAnswer::Metrics(MetricsView {
            counted: aside(move || counters.snapshot()).await?,
            queued: running.items.owed().await?,
            store_writes: writes.operations,
            store_flushes: writes.flushes,
        }))
    }

    /// Returns the counters in Prometheus's text format.
    pub(super) async fn export_metrics(&self) -> Result<String, AdminError> {
        let running = self.running()?;
        let (owed, writes) = (running.items.owed().await?, running.items.write_counts());
        let counters = Arc::clone(&running.counters);
        Ok(aside(move || counters.to_prometheus(owed, writes)).await??)
    }

    pub(super) fn show_server(&self) -> Result<AdminAnswer, AdminError> {
        let running = self.running()?;
        let knows_places = running.server.knows_places || running.places.is_on();
        Ok(AdminAnswer::Server(ServerView {
            knows_places,
            ..running.server.clone()
        }))
    }

    pub(super) async fn reread_providers(&self) -> Result<AdminAnswer, AdminError> {
        let running = self.running()?;
        let names = running.providers.reread()?;
        if running.providers.has_file() {
            running.items.remember_companion(PROVIDERS).await?;
        }
        Ok(AdminAnswer::Providers(
            names.into_iter().map(str::to_owned).collect(),
        ))
    }

    pub(super) async fn reread_places(&self) -> Result<AdminAnswer, AdminError> {
        let places = Arc::clone(&self.running()?.places);
        places::reread(places).await?;
        Ok(AdminAnswer::Recorded)
    }

    pub(super) fn running(&self) -> Result<&Running, AdminError> {
        self.running.as_ref().ok_or(AdminError::NotRunning)
    }
}
