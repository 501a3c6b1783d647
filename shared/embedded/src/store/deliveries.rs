//! The delivery store: one implementation for the webhooks of confirmations and of logins.

use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::store::{DeliveryStore, Due};
use countersign_domain::delivery::transitions::{Claim, DeliveryTransition, Postpone, Settle};
use countersign_domain::delivery::{
    ClaimOutcome, Decision, DeliveryKind, DeliveryLane, DeliverySubject, PostponeOutcome,
    SettleOutcome, SettledAttempt,
};
use countersign_domain::login::Login;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use super::EmbeddedStore;
use super::batch::Batch;
use super::due;
use super::fault::Fault;
use super::kept::{Kept, TableNames, committed};

const CLAIM: &str = "delivery store: claim";

impl EmbeddedStore {
    /// Decides a transition of the item that owes the webhook, and writes the result.
    async fn decide_delivery<X: DeliveryTransition + 'static>(
        &self,
        what: &'static str,
        subject: DeliverySubject,
        transition: X,
    ) -> Result<X::Outcome, Unavailable> {
        self.write(what, move |batch| decide(batch, subject, &transition))
            .await
    }

    /// Decides a claim without the writer, unless a batch holds the item.
    async fn claim_of<T: Kept>(
        &self,
        id: T::Id,
        claim: Claim,
    ) -> Result<ClaimOutcome, Unavailable> {
        if let Some(outcome) = self.claim_at_once::<T>(id, claim)? {
            return Ok(outcome);
        }
        self.write(CLAIM, move |batch| {
            batch.claim::<T, _>(id, |current| claim.decide(current))
        })
        .await
    }

    fn claim_at_once<T: Kept>(
        &self,
        id: T::Id,
        claim: Claim,
    ) -> Result<Option<ClaimOutcome>, Unavailable> {
        let mut shard = self.claims.lock(id.into());
        if shard.is_in_batch(id.into()) {
            return Ok(None);
        }
        let mut current = self.read(CLAIM, |transaction| committed::<T>(transaction, id))?;
        if let Some(item) = &mut current {
            shard.lay_over(item);
        }
        let Decision { outcome, write } = claim.decide(current);
        if let Some(item) = write {
            shard.keep(&item);
        }
        Ok(Some(outcome))
    }
}

fn decide<X: DeliveryTransition>(
    batch: &mut Batch<'_>,
    subject: DeliverySubject,
    transition: &X,
) -> Result<X::Outcome, Fault> {
    match subject {
        DeliverySubject::Confirmation(id) => {
            batch.decide::<Confirmation, _>(id, |current| transition.decide(current))
        }
        DeliverySubject::Login(id) => {
            batch.decide::<Login, _>(id, |current| transition.decide(current))
        }
    }
}

#[async_trait]
impl DeliveryStore for EmbeddedStore {
    async fn claim(
        &self,
        subject: DeliverySubject,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimOutcome, Unavailable> {
        if self.writer.has_failed() {
            // Without writes no attempt can be settled, so the same webhook would be sent repeatedly.
            return Err(Unavailable::new(CLAIM, Fault::Failed));
        }
        let claim = Claim {
            attempts_claimed,
            now,
        };
        match subject {
            DeliverySubject::Confirmation(id) => self.claim_of::<Confirmation>(id, claim).await,
            DeliverySubject::Login(id) => self.claim_of::<Login>(id, claim).await,
        }
    }

    async fn settle(
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
        let settled = move |batch: &mut Batch<'_>| decide(batch, subject, &settle);
        self.writer
            .write_deferred("delivery store: settle", settled)
            .await
    }

    async fn due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable> {
        self.read("delivery store: due lanes", |transaction| {
            let mut lanes = Vec::new();
            for kind in DeliveryKind::ALL {
                let table = transaction.open_table(TableNames::of(kind).due)?;
                lanes.extend(due::lanes(&table, kind, now)?);
            }
            Ok(lanes)
        })
    }

    async fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable> {
        self.read("delivery store: due", |transaction| {
            let table = transaction.open_table(TableNames::of(lane.kind()).due)?;
            due::of_lane(&table, lane, now, after, limit)
        })
    }

    async fn postpone(&self, due: Due, now: Timestamp) -> Result<PostponeOutcome, Unavailable> {
        let postpone = Postpone {
            seen_due_at: due.due_at,
            now,
        };
        self.decide_delivery("delivery store: postpone", due.subject, postpone)
            .await
    }
}
