//! The reference: a store in memory that is too simple to be wrong.

mod apps;
mod logins;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::transitions::{
    self, CancelOutcome, ClaimOutcome, CreateOutcome, Decision, PostponeOutcome, RedactOutcome,
    RedeliverOutcome, SettleOutcome, SettledAttempt, TextEvidence, VerifyOutcome,
};
use countersign_domain::ids::{AppId, ConfirmationId};
use countersign_domain::ports::{ConfirmationStore, Due, Unavailable};
use countersign_domain::time::Timestamp;

pub use logins::ModelLogins;

/// Confirmations, apps and keys in memory. Every method is one look under one lock.
#[derive(Debug, Default)]
pub struct ModelStore {
    confirmations: Mutex<BTreeMap<ConfirmationId, Confirmation>>,
    apps: Mutex<apps::Apps>,
}

impl ModelStore {
    /// Every confirmation by id, those whose time is over included.
    #[must_use]
    pub fn items(&self) -> Vec<Confirmation> {
        self.confirmations().values().cloned().collect()
    }

    /// Puts a confirmation there, whatever was there before.
    pub fn put(&self, item: Confirmation) {
        self.confirmations().insert(item.id, item);
    }

    fn confirmations(&self) -> MutexGuard<'_, BTreeMap<ConfirmationId, Confirmation>> {
        self.confirmations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn decide<O>(
        &self,
        id: ConfirmationId,
        decide: impl FnOnce(Option<Confirmation>) -> Decision<O>,
    ) -> O {
        let mut items = self.confirmations();
        let Decision { outcome, write } = decide(items.get(&id).cloned());
        if let Some(item) = write {
            items.insert(id, item);
        }
        outcome
    }
}

#[async_trait]
impl ConfirmationStore for ModelStore {
    async fn create(
        &self,
        new: Confirmation,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        Ok(self.decide(new.id, |current| transitions::create(current, new, now)))
    }

    async fn find(
        &self,
        id: ConfirmationId,
        now: Timestamp,
    ) -> Result<Option<Confirmation>, Unavailable> {
        let found = self.confirmations().get(&id).cloned();
        Ok(found.filter(|item| now < item.purge_at))
    }

    async fn verify(
        &self,
        id: ConfirmationId,
        evidence: &TextEvidence,
        now: Timestamp,
        retention: Duration,
    ) -> Result<VerifyOutcome, Unavailable> {
        Ok(self.decide(id, |current| {
            transitions::verify(current, evidence, now, retention)
        }))
    }

    async fn cancel(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable> {
        Ok(self.decide(id, |current| transitions::cancel(current, app, now)))
    }

    async fn redact(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<RedactOutcome, Unavailable> {
        Ok(self.decide(id, |current| transitions::redact(current, app, now)))
    }

    async fn redeliver(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
        retention: Duration,
    ) -> Result<RedeliverOutcome, Unavailable> {
        Ok(self.decide(id, |current| {
            transitions::redeliver(current, app, now, retention)
        }))
    }

    async fn claim(
        &self,
        id: ConfirmationId,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimOutcome, Unavailable> {
        Ok(self.decide(id, |current| {
            transitions::claim(current, attempts_claimed, now)
        }))
    }

    async fn settle(
        &self,
        id: ConfirmationId,
        settled: SettledAttempt,
        now: Timestamp,
        retention: Duration,
    ) -> Result<SettleOutcome, Unavailable> {
        Ok(self.decide(id, |current| {
            transitions::settle(current, settled, now, retention)
        }))
    }

    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<Due>, Unavailable> {
        let mut due: Vec<Due> = self
            .confirmations()
            .values()
            .filter_map(|item| {
                let due_at = item.due_at().filter(|at| *at <= now)?;
                Some(Due {
                    due_at,
                    confirmation: item.id,
                })
            })
            .collect();
        due.sort();
        due.truncate(limit);
        Ok(due)
    }

    async fn postpone(&self, due: Due, now: Timestamp) -> Result<PostponeOutcome, Unavailable> {
        Ok(self.decide(due.confirmation, |current| {
            transitions::postpone(current, due.due_at, now)
        }))
    }
}
