//! Deliveries of webhooks, each in the item that owes it.

use std::time::Duration;

use super::Store;
use super::document::Entity;
use crate::confirmation::Confirmation;
use crate::delivery::due::Due;
use crate::delivery::transitions::{Claim, DeliveryTransition, Owes, Postpone, Settle};
use crate::delivery::{
    ClaimOutcome, Decision, DeliveryLane, DeliveryPointer, DeliverySubject, PostponeOutcome,
    Progress, SettleOutcome, SettledAttempt,
};
use crate::login::Login;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// A delivery that is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owed {
    /// Pointer to put into the queue.
    pub pointer: DeliveryPointer,
    /// Time of the next attempt; a time in the past means at once.
    pub next_attempt_at: Timestamp,
}

impl Store {
    /// Returns what is owed for an entry of the due index; `None` if nothing is owed any more.
    ///
    /// # Errors
    /// Fails if the item cannot be read.
    pub async fn owed(
        &self,
        subject: DeliverySubject,
        now: Timestamp,
    ) -> Result<Option<Owed>, Unavailable> {
        match subject {
            DeliverySubject::Confirmation(_) => self.owed_by::<Confirmation>(subject, now).await,
            DeliverySubject::Login(_) => self.owed_by::<Login>(subject, now).await,
        }
    }

    async fn owed_by<T: Entity + Owes>(
        &self,
        subject: DeliverySubject,
        now: Timestamp,
    ) -> Result<Option<Owed>, Unavailable> {
        let item = self.find::<T>(subject, now).await?;
        Ok(item.and_then(|item| {
            let Progress::Pending {
                next_attempt_at, ..
            } = item.delivery()?.progress
            else {
                return None;
            };
            let pointer = item.pointer()?;
            Some(Owed {
                pointer,
                next_attempt_at,
            })
        }))
    }

    async fn transition<X: DeliveryTransition>(
        &self,
        subject: DeliverySubject,
        transition: &X,
    ) -> Result<X::Outcome, Unavailable> {
        match subject {
            DeliverySubject::Confirmation(_) => {
                let decide = |current: Option<Confirmation>| transition.decide(current);
                self.change(subject, decide).await
            }
            DeliverySubject::Login(_) => {
                let decide = |current: Option<Login>| transition.decide(current);
                self.change(subject, decide).await
            }
        }
    }

    async fn claim_in_memory<T: Entity + Owes>(
        &self,
        subject: DeliverySubject,
        claim: Claim,
    ) -> Result<ClaimOutcome, Unavailable> {
        let current = self.get::<T>(subject).await?;
        let Decision { outcome, write } = claim.decide(current);
        let Some(mut claimed) = write else {
            return Ok(outcome);
        };
        let is_kept = self.claims.keep(&mut claimed, claim.now);
        Ok(if is_kept { outcome } else { Claim::REFUSED })
    }
}

impl Store {
    /// Claims the attempt after `attempts_claimed` others.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn claim(
        &self,
        subject: DeliverySubject,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimOutcome, Unavailable> {
        let claim = Claim {
            attempts_claimed,
            now,
        };
        if !self.claims.are_in_memory() {
            return self.transition(subject, &claim).await;
        }
        match subject {
            DeliverySubject::Confirmation(_) => {
                self.claim_in_memory::<Confirmation>(subject, claim).await
            }
            DeliverySubject::Login(_) => self.claim_in_memory::<Login>(subject, claim).await,
        }
    }

    /// Stores the result of a claimed attempt. `retention` is how long a confirmation is kept after its
    /// webhook; a login's webhook leaves its item once it is delivered or given up.
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
        let settle = Settle {
            settled,
            now,
            retention,
        };
        self.transition(subject, &settle).await
    }

    /// Lists the lanes in which something is due ([`Items::due_lanes`](super::Items::due_lanes)).
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable> {
        self.items.due_lanes(now).await
    }

    /// Lists what is due in a lane ([`Items::due`](super::Items::due)).
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable> {
        self.items.due(lane, now, after, limit).await
    }

    /// Moves the time at which the sweep looks after a delivery.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn postpone(&self, due: Due, now: Timestamp) -> Result<PostponeOutcome, Unavailable> {
        let postpone = Postpone {
            seen_due_at: due.due_at,
            now,
        };
        self.transition(due.subject, &postpone).await
    }
}
