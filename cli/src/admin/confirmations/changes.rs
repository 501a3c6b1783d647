//! Changing a confirmation for its app: the API's transitions.

use std::time::Duration;

use countersign_domain::app::scope::Scope;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::transitions::{
    self, CancelOutcome, RedactOutcome, RedeliverOutcome,
};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::use_cases::{Ports, Times, wake_dispatcher};
use serde::{Deserialize, Serialize};
use serde_with::{DisplayFromStr, serde_as};

use super::ConfirmationSummary;
use crate::admin::request::Request;
use crate::admin::started_refusal::StartedRefusal;
use crate::admin::{Admin, AdminError};

/// Sends the webhook of a confirmation again.
#[serde_as]
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RedeliverWebhook {
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) id: ConfirmationId,
}

/// Cancels an open confirmation.
#[serde_as]
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelConfirmation {
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) id: ConfirmationId,
}

/// Erases the personal data of a confirmation.
#[serde_as]
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RedactConfirmation {
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) id: ConfirmationId,
}

impl Request for RedeliverWebhook {
    const NAME: &'static str = "redeliver_webhook";
    const CHANGES: bool = true;
    type Answer = ConfirmationSummary;

    async fn app(&self, admin: &Admin) -> Option<AppId> {
        admin.app_of_confirmation(self.id).await
    }

    /// Without a running server, the one that finds the pending webhook next sends it: the deployment's sweep, or the
    /// server when it starts.
    async fn execute(self, admin: &Admin) -> Result<ConfirmationSummary, AdminError> {
        let app = admin.find_confirmation(self.id).await?.app;
        match admin.redeliver(self.id, &app).await? {
            RedeliverOutcome::Pending { confirmation, .. } => {
                Ok(ConfirmationSummary::of(&confirmation, admin.clock.now()))
            }
            RedeliverOutcome::NotVerified(status) => {
                Err(StartedRefusal::NotVerified(status.into_str()).into())
            }
            RedeliverOutcome::InFlight => Err(StartedRefusal::InFlight.into()),
            RedeliverOutcome::Redacted => Err(StartedRefusal::Redacted.into()),
            RedeliverOutcome::NoWebhook => Err(StartedRefusal::NoWebhook.into()),
            RedeliverOutcome::Unknown => Err(unknown(self.id)),
        }
    }
}

impl Request for CancelConfirmation {
    const NAME: &'static str = "cancel_confirmation";
    const CHANGES: bool = true;
    type Answer = ConfirmationSummary;

    async fn app(&self, admin: &Admin) -> Option<AppId> {
        admin.app_of_confirmation(self.id).await
    }

    async fn execute(self, admin: &Admin) -> Result<ConfirmationSummary, AdminError> {
        let app = admin.find_confirmation(self.id).await?.app;
        let now = admin.clock.now();
        let decide = |current| transitions::cancel(current, Scope::live(&app), now);
        match admin.store.change(self.id, decide).await? {
            CancelOutcome::Cancelled(item) => Ok(ConfirmationSummary::of(&item, now)),
            CancelOutcome::Ended(status) => Err(StartedRefusal::NotOpen(status.into_str()).into()),
            CancelOutcome::Unknown => Err(unknown(self.id)),
        }
    }
}

impl Request for RedactConfirmation {
    const NAME: &'static str = "redact_confirmation";
    const CHANGES: bool = true;
    type Answer = ConfirmationSummary;

    async fn app(&self, admin: &Admin) -> Option<AppId> {
        admin.app_of_confirmation(self.id).await
    }

    async fn execute(self, admin: &Admin) -> Result<ConfirmationSummary, AdminError> {
        let app = admin.find_confirmation(self.id).await?.app;
        let now = admin.clock.now();
        match admin.store.redact(self.id, Scope::live(&app), now).await? {
            RedactOutcome::Redacted(item) => Ok(ConfirmationSummary::of(&item, now)),
            RedactOutcome::Open => Err(StartedRefusal::StillOpen.into()),
            RedactOutcome::WebhookPending => Err(StartedRefusal::WebhookPending.into()),
            RedactOutcome::Unknown => Err(unknown(self.id)),
        }
    }
}

impl Admin {
    /// Makes a webhook pending again, and wakes the dispatcher of a running server.
    pub(super) async fn redeliver(
        &self,
        id: ConfirmationId,
        app: &AppId,
    ) -> Result<RedeliverOutcome, AdminError> {
        let now = self.clock.now();
        let running = self.running.as_ref();
        // It only ever lengthens the time for which the confirmation is kept.
        let times = running.map_or_else(Times::default, |running| running.times);
        let decide = |current: Option<Confirmation>| {
            transitions::redeliver(current, Scope::live(app), now, times.retention)
        };
        let outcome = self.store.change_delivery(id, decide).await?;
        if let (RedeliverOutcome::Pending { pointer, .. }, Some(running)) = (&outcome, running) {
            let ports = Ports {
                store: &self.store,
                queue: running.queue.as_ref(),
                clock: self.clock.as_ref(),
                entropy: self.entropy.as_ref(),
                metrics: running.counters.as_ref(),
            };
            wake_dispatcher(ports, *pointer, Duration::ZERO).await;
        }
        Ok(outcome)
    }
}

fn unknown(id: ConfirmationId) -> AdminError {
    StartedRefusal::Unknown(id.to_string()).into()
}
