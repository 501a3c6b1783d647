//! The confirmation store: each transition is the domain's, made atomic by the writer's thread.

use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::app::quota::Allowance;
use countersign_domain::confirmation::store::{ConfirmationStore, Due};
use countersign_domain::confirmation::transitions::{
    CancelOutcome, ClaimOutcome, CreateOutcome, RedactOutcome, RedeliverOutcome, TextEvidence,
    VerifyOutcome,
};
use countersign_domain::confirmation::{Confirmation, transitions};
use countersign_domain::delivery::Decision;
use countersign_domain::delivery::{DeliveryLane, PostponeOutcome, SettleOutcome, SettledAttempt};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use redb::ReadTransaction;

use super::EmbeddedStore;
use super::checked;
use super::due;
use super::fault::Fault;
use super::tables::{CONFIRMATIONS, DUE, due_key, due_of};

impl EmbeddedStore {
    async fn decide<O: Send + 'static>(
        &self,
        what: &'static str,
        id: ConfirmationId,
        decide: impl FnOnce(Option<Confirmation>) -> Decision<Confirmation, O> + Send + 'static,
    ) -> Result<O, Unavailable> {
        self.write(what, move |batch| batch.decide(id, decide))
            .await
    }

    /// Decides a claim beside the writer, unless a batch has the item.
    fn claim_at_once(
        &self,
        what: &'static str,
        id: ConfirmationId,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<Option<ClaimOutcome>, Unavailable> {
        let mut shard = self.claims.lock(id);
        if shard.is_in_batch(id) {
            return Ok(None);
        }
        let mut current = self.read(what, |transaction| get(transaction, id))?;
        if let Some(item) = &mut current {
            shard.lay_over(item);
        }
        let Decision { outcome, write } = transitions::claim(current, attempts_claimed, now);
        if let Some(item) = write {
            shard.keep(&item);
        }
        Ok(Some(outcome))
    }
}

/// The item as the file has it.
fn get(transaction: &ReadTransaction, id: ConfirmationId) -> Result<Option<Confirmation>, Fault> {
    let table = transaction.open_table(CONFIRMATIONS)?;
    let Some(record) = table.get(id.as_bytes())? else {
        return Ok(None);
    };
    let item = checked::read(&CONFIRMATIONS, id.as_bytes(), id, record.value())?;
    Ok(Some(item))
}

#[async_trait]
impl ConfirmationStore for EmbeddedStore {
    async fn create(
        &self,
        new: Confirmation,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let id = new.id;
        let decide = move |current| transitions::create(current, new, now);
        self.decide("confirmation store: create", id, decide).await
    }

    async fn create_within(
        &self,
        new: Confirmation,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        self.write("confirmation store: create", move |batch| {
            batch.create(new, allowance, now)
        })
        .await
    }

    async fn find(
        &self,
        id: ConfirmationId,
        now: Timestamp,
    ) -> Result<Option<Confirmation>, Unavailable> {
        let shard = self.claims.lock(id);
        let found = self.read("confirmation store: find", |transaction| {
            get(transaction, id)
        })?;
        Ok(found
            .map(|mut item| {
                shard.lay_over(&mut item);
                item
            })
            .filter(|item| now < item.purge_at))
    }

    async fn verify(
        &self,
        id: ConfirmationId,
        evidence: &TextEvidence,
        now: Timestamp,
        retention: Duration,
    ) -> Result<VerifyOutcome, Unavailable> {
        let evidence = evidence.clone();
        self.decide("confirmation store: verify", id, move |current| {
            transitions::verify(current, &evidence, now, retention)
        })
        .await
    }

    async fn cancel(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable> {
        let app = app.clone();
        self.decide("confirmation store: cancel", id, move |current| {
            transitions::cancel(current, &app, now)
        })
        .await
    }

    async fn redact(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<RedactOutcome, Unavailable> {
        let app = app.clone();
        self.decide("confirmation store: redact", id, move |current| {
            transitions::redact(current, &app, now)
        })
        .await
    }

    async fn redeliver(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
        retention: Duration,
    ) -> Result<RedeliverOutcome, Unavailable> {
        let app = app.clone();
        self.decide("confirmation store: redeliver", id, move |current| {
            transitions::redeliver(current, &app, now, retention)
        })
        .await
    }

    async fn claim(
        &self,
        id: ConfirmationId,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimOutcome, Unavailable> {
        let what = "confirmation store: claim";
        if self.writer.has_failed() {
            // What could not be settled would be sent again and again.
            return Err(Unavailable::new(what, Fault::Failed));
        }
        if let Some(outcome) = self.claim_at_once(what, id, attempts_claimed, now)? {
            return Ok(outcome);
        }
        self.write(what, move |batch| {
            batch.claim(id, |current| {
                transitions::claim(current, attempts_claimed, now)
            })
        })
        .await
    }

    async fn settle(
        &self,
        id: ConfirmationId,
        settled: SettledAttempt,
        now: Timestamp,
        retention: Duration,
    ) -> Result<SettleOutcome, Unavailable> {
        self.decide("confirmation store: settle", id, move |current| {
            transitions::settle(current, settled, now, retention)
        })
        .await
    }

    async fn due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable> {
        self.read("confirmation store: due lanes", |transaction| {
            due::lanes(&transaction.open_table(DUE)?, now)
        })
    }

    async fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable> {
        let after = after.map(|due| due_key(lane, due.due_at, due.confirmation.as_bytes()));
        self.read("confirmation store: due", |transaction| {
            let keys = due::of_lane(&transaction.open_table(DUE)?, lane, now, after, limit)?;
            Ok(keys.iter().map(due_of).collect())
        })
    }

    async fn postpone(&self, due: Due, now: Timestamp) -> Result<PostponeOutcome, Unavailable> {
        self.decide(
            "confirmation store: postpone",
            due.confirmation,
            move |current| transitions::postpone(current, due.due_at, now),
        )
        .await
    }
}
