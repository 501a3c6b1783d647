//! What only a running server can do for operators.

use std::sync::Arc;

use countersign_domain::delivery::sender::WebhookSender;
use countersign_domain::delivery::signing::Signer;
use countersign_domain::primitives::time::Clock;
use countersign_domain::use_cases::test_webhook;
use countersign_embedded::queue::LocalQueue;
use countersign_embedded::store::EmbeddedStore;

use super::answer::{Answer, MetricsView, ServerView, TestView};
use super::command::WebhookTest;
use super::{Admin, AdminError};
use crate::metrics::Counters;

/// The parts of a running server.
pub(crate) struct Running {
    /// Its clock, which does not believe the wall clock at once.
    pub(crate) clock: Arc<dyn Clock>,
    /// Where confirmations are kept.
    pub(crate) store: Arc<EmbeddedStore>,
    /// What wakes the dispatcher.
    pub(crate) queue: LocalQueue,
    /// What posts webhooks.
    pub(crate) sender: Arc<dyn WebhookSender>,
    /// What was counted.
    pub(crate) counters: Arc<Counters>,
    /// Where it is.
    pub(crate) server: ServerView,
}

impl Admin {
    pub(super) async fn test_webhook(&self, test: WebhookTest) -> Result<Answer, AdminError> {
        let running = self.running()?;
        let app = self.find_app(&test.app.0).await?;
        let callback = test.url.map(|url| url.0);
        if let Some(url) = &callback {
            url.judge(&self.callbacks)?;
        }
        let signer: &dyn Signer = self.signing_keys()?;
        let ports = test_webhook::Ports {
            signer,
            sender: running.sender.as_ref(),
            clock: self.clock.as_ref(),
            entropy: self.entropy.as_ref(),
        };
        Ok(Answer::Test(TestView::of(
            &test_webhook::send(ports, &app, callback).await?,
        )))
    }

    pub(super) fn show_metrics(&self) -> Result<Answer, AdminError> {
        let running = self.running()?;
        let writes = running.store.write_counts();
        Ok(Answer::Metrics(MetricsView {
            counted: running.counters.snapshot(),
            queued: running.queue.depth(),
            store_writes: writes.operations,
            store_flushes: writes.flushes,
        }))
    }

    pub(super) fn show_server(&self) -> Result<Answer, AdminError> {
        Ok(Answer::Server(self.running()?.server.clone()))
    }

    pub(super) fn running(&self) -> Result<&Running, AdminError> {
        self.running.as_ref().ok_or(AdminError::NotRunning)
    }
}
