//! The reference: stores in memory that are too simple to be wrong.

mod apps;
mod association_keys;
mod deliveries;
mod entities;
mod items;
mod logins;
mod texts;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::app::quota::{Allowance, OpenCount, RateUsage};
use countersign_domain::confirmation::carrier::CarrierName;
use countersign_domain::confirmation::miss::Unfit;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::{
    CancelOutcome, CarrierOutcome, CreateOutcome, MissOutcome, RedactOutcome, RedeliverOutcome,
    TextEvidence, VerifyOutcome,
};
use countersign_domain::confirmation::{Confirmation, transitions};
use countersign_domain::delivery::Decision;
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use crate::stores::Stores;
use entities::Items;

pub use association_keys::ModelAssociationKeys;
pub use items::ModelItems;
pub use logins::ModelLogins;
pub use texts::ModelTexts;

/// Confirmations, apps, API keys and association keys in memory, with the deliveries of confirmations and
/// logins.
/// Methods are atomic because they hold a lock.
#[derive(Debug, Default)]
pub struct ModelStore {
    confirmations: Mutex<Items<Confirmation>>,
    logins: Arc<ModelLogins>,
    association_keys: Arc<ModelAssociationKeys>,
    apps: Mutex<apps::Apps>,
    rates: Mutex<RateUsage>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ModelStore {
    /// Returns every confirmation, ordered by id, including those past their `purge_at`.
    #[must_use]
    pub fn items(&self) -> Vec<Confirmation> {
        locked(&self.confirmations).all()
    }

    /// Stores a confirmation, replacing the one with the same id.
    pub fn put(&self, item: Confirmation) {
        locked(&self.confirmations).put(item);
    }

    /// Returns the store of the logins whose deliveries this model holds.
    #[must_use]
    pub const fn logins(&self) -> &Arc<ModelLogins> {
        &self.logins
    }

    /// Returns the store of association keys.
    #[must_use]
    pub const fn association_keys(&self) -> &Arc<ModelAssociationKeys> {
        &self.association_keys
    }

    /// Returns this model as the three stores of a host.
    #[must_use]
    pub fn stores(self: &Arc<Self>) -> Stores {
        Stores {
            confirmations: self.clone(),
            logins: self.logins.clone(),
            deliveries: self.clone(),
        }
    }

    fn decide<O>(
        &self,
        id: ConfirmationId,
        decide: impl FnOnce(Option<Confirmation>) -> Decision<Confirmation, O>,
    ) -> O {
        locked(&self.confirmations).decide(id, decide)
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
        let mut rates = locked(&self.rates);
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
        Ok(locked(&self.confirmations).find(id, now))
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

    async fn record_miss(
        &self,
        id: ConfirmationId,
        unfit: Unfit,
        now: Timestamp,
    ) -> Result<MissOutcome, Unavailable> {
        Ok(self.decide(id, |current| transitions::record_miss(current, unfit, now)))
    }

    async fn decide_carrier(
        &self,
        id: ConfirmationId,
        name: &CarrierName,
        now: Timestamp,
    ) -> Result<CarrierOutcome, Unavailable> {
        Ok(self.decide(id, |current| {
            transitions::decide_carrier(current, name, now)
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
}
