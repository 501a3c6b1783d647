//! Deliveries of webhooks, each in the item that owes it.

use std::time::Duration;

use super::Store;
use super::document::Entity;
use crate::confirmation::Confirmation;
use crate::delivery::due::Due;
use crate::delivery::transitions::{Claim, DeliveryTransition, Owes, Postpone, Settle};
use crate::delivery::{
    ClaimOutcome, Decision, DeliverySubject, PostponeOutcome, SettleOutcome, SettledAttempt,
};
use crate::login::Login;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

impl Store {
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
