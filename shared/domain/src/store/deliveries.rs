//! Deliveries of webhooks, each in its item.

use std::time::Duration;

use super::Store;
use super::document::{Entity, Key};
use crate::confirmation::Confirmation;
use crate::delivery::due::DueEntry;
use crate::delivery::transitions::{self, HasDelivery};
use crate::delivery::{
    ClaimOutcome, Decision, DeliverySubject, PostponeOutcome, SettleOutcome, SettledAttempt,
};
use crate::login::{Login, PhoneRegistration};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

impl Store {
    /// Changes an item as [`change`](Self::change) does. The decision also sees a claim of the delivery that is in
    /// memory.
    ///
    /// # Errors
    /// Fails as [`change`](Self::change) does.
    pub async fn change_delivery<T: Entity + HasDelivery, O>(
        &self,
        key: impl Into<Key>,
        decide: impl Fn(Option<T>) -> Decision<T, O>,
    ) -> Result<O, Unavailable> {
        let decide = |current| decide(self.with_claim(current));
        self.change(key, decide).await
    }

    /// Claims the attempt after the first `attempts_claimed`.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn claim(
        &self,
        subject: DeliverySubject,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimOutcome, Unavailable> {
        match subject {
            DeliverySubject::Confirmation(_) => {
                self.claim_of::<Confirmation>(subject, attempts_claimed, now)
                    .await
            }
            DeliverySubject::Login(_) => {
                self.claim_of::<Login>(subject, attempts_claimed, now).await
            }
            DeliverySubject::PhoneRegistration(_) => {
                self.claim_of::<PhoneRegistration>(subject, attempts_claimed, now)
                    .await
            }
        }
    }

    async fn claim_of<T: Entity + HasDelivery>(
        &self,
        subject: DeliverySubject,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimOutcome, Unavailable> {
        let decide = |current: Option<T>| transitions::claim(current, attempts_claimed, now);
        if !self.claims.are_in_memory() {
            return self.change(subject, decide).await;
        }
        let current = self.with_claim(self.get(subject).await?);
        let Decision { outcome, write } = decide(current);
        let is_kept = write.is_none_or(|claimed| self.claims.keep(&claimed, now));
        Ok(if is_kept {
            outcome
        } else {
            ClaimOutcome::Stale
        })
    }

    /// Stores the result of a claimed attempt. `retention` is the time that a confirmation is kept
    /// after its webhook; that of a login or a phone is removed from its item once its delivery has ended.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn settle(
        &self,
        subject: DeliverySubject,
        settled: SettledAttempt,
        now: Timestamp,
        retention: Duration,
    ) -> Result<SettleOutcome, Unavailable> {
        match subject {
            DeliverySubject::Confirmation(_) => {
                let settle = |current: Option<Confirmation>| {
                    transitions::settle(current, settled.clone(), now, retention)
                };
                self.change_delivery(subject, settle).await
            }
            DeliverySubject::Login(_) => {
                let settle = |current: Option<Login>| {
                    transitions::settle(current, settled.clone(), now, retention)
                };
                self.change_delivery(subject, settle).await
            }
            DeliverySubject::PhoneRegistration(_) => {
                let settle = |current: Option<PhoneRegistration>| {
                    transitions::settle(current, settled.clone(), now, retention)
                };
                self.change_delivery(subject, settle).await
            }
        }
    }

    /// Postpones the time when the sweep checks a delivery.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn postpone(
        &self,
        due: DueEntry,
        now: Timestamp,
    ) -> Result<PostponeOutcome, Unavailable> {
        let DueEntry { subject, due_at } = due;
        match subject {
            DeliverySubject::Confirmation(_) => {
                let postpone =
                    |current: Option<Confirmation>| transitions::postpone(current, due_at, now);
                self.change_delivery(subject, postpone).await
            }
            DeliverySubject::Login(_) => {
                let postpone = |current: Option<Login>| transitions::postpone(current, due_at, now);
                self.change_delivery(subject, postpone).await
            }
            DeliverySubject::PhoneRegistration(_) => {
                let postpone = |current: Option<PhoneRegistration>| {
                    transitions::postpone(current, due_at, now)
                };
                self.change_delivery(subject, postpone).await
            }
        }
    }

    fn with_claim<T: HasDelivery>(&self, mut item: Option<T>) -> Option<T> {
        if let Some(item) = &mut item {
            self.claims.lay_over(item);
        }
        item
    }
}
