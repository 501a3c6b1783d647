//! The reference: a store in memory that is too simple to be wrong.

mod apps;
mod logins;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::app::quota::{Allowance, OpenCount, RateUsage};
use countersign_domain::confirmation::store::{ConfirmationStore, Due};
use countersign_domain::confirmation::transitions::{
    CancelOutcome, ClaimOutcome, CreateOutcome, RedactOutcome, RedeliverOutcome, TextEvidence,
    VerifyOutcome,
};
use countersign_domain::confirmation::{Confirmation, transitions};
use countersign_domain::delivery::{
    Decision, DeliveryLane, PostponeOutcome, SettleOutcome, SettledAttempt,
};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

pub use logins::ModelLogins;

/// Confirmations, apps and keys in memory. Every method is one look under one lock.
#[derive(Debug, Default)]
pub struct ModelStore {
    confirmations: Mutex<Confirmations>,
    apps: Mutex<apps::Apps>,
    rates: Mutex<RateUsage>,
}

/// Confirmations by id, and what is due by lane.
#[derive(Debug, Default)]
struct Confirmations {
    items: BTreeMap<ConfirmationId, Confirmation>,
    due: BTreeMap<DeliveryLane, BTreeSet<Due>>,
}

impl Confirmations {
    fn put(&mut self, item: Confirmation) {
        let (lane, due) = (item.lane(), due_of(&item));
        if let Some(before) = self.items.insert(item.id, item).as_ref().and_then(due_of) {
            self.due.entry(before.lane).or_default().remove(&before);
        }
        self.due.entry(lane).or_default().extend(due);
    }
}

fn due_of(item: &Confirmation) -> Option<Due> {
    Some(Due {
        due_at: item.due_at()?,
        confirmation: item.id,
        lane: item.lane(),
    })
}

impl ModelStore {
    /// Every confirmation by id, those whose time is over included.
    #[must_use]
    pub fn items(&self) -> Vec<Confirmation> {
        self.confirmations().items.values().cloned().collect()
    }

    /// Puts a confirmation there, whatever was there before.
    pub fn put(&self, item: Confirmation) {
        self.confirmations().put(item);
    }

    fn confirmations(&self) -> MutexGuard<'_, Confirmations> {
        self.confirmations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn decide<O>(
        &self,
        id: ConfirmationId,
        decide: impl FnOnce(Option<Confirmation>) -> Decision<Confirmation, O>,
    ) -> O {
        let mut confirmations = self.confirmations();
        let Decision { outcome, write } = decide(confirmations.items.get(&id).cloned());
        if let Some(item) = write {
            confirmations.put(item);
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

    async fn create_within(
        &self,
        new: Confirmation,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let Allowance::Within(quota) = allowance else {
            return self.create(new, now).await;
        };
        let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = OpenCount::default();
        for item in self.items() {
            if let Some(end) = item.open_until() {
                open.enter(&item.app, end);
            }
        }
        let app = new.app.clone();
        let outcome = self.decide(new.id, |current| {
            let check = |item: &Confirmation| {
                rates.check(&item.app, &quota, now)?;
                open.check(&item.app, &quota, now)
            };
            transitions::create_within(current, new, check, now)
        });
        if outcome == CreateOutcome::Created {
            rates.take(&app, &quota, now);
        }
        Ok(outcome)
    }

    async fn find(
        &self,
        id: ConfirmationId,
        now: Timestamp,
    ) -> Result<Option<Confirmation>, Unavailable> {
        let found = self.confirmations().items.get(&id).cloned();
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

    async fn due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable> {
        let is_due = |lane: &BTreeSet<Due>| lane.first().is_some_and(|due| due.due_at <= now);
        let confirmations = self.confirmations();
        let lanes = confirmations.due.iter().filter(|(_, due)| is_due(due));
        Ok(lanes.map(|(lane, _)| *lane).collect())
    }

    async fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable> {
        let confirmations = self.confirmations();
        let Some(due) = confirmations.due.get(&lane) else {
            return Ok(Vec::new());
        };
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let due = due.range((from, Bound::Unbounded));
        let due = due.take_while(|due| due.due_at <= now).take(limit);
        Ok(due.copied().collect())
    }

    async fn postpone(&self, due: Due, now: Timestamp) -> Result<PostponeOutcome, Unavailable> {
        Ok(self.decide(due.confirmation, |current| {
            transitions::postpone(current, due.due_at, now)
        }))
    }
}
