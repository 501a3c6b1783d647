//! The confirmation store.

use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::app::quota::Allowance;
use countersign_domain::confirmation::store::{ConfirmationStore, Due};
use countersign_domain::confirmation::transitions::{
    CancelOutcome, ClaimOutcome, CreateOutcome, RedactOutcome, RedeliverOutcome, TextEvidence,
    VerifyOutcome,
};
use countersign_domain::confirmation::{Confirmation, transitions};
use countersign_domain::delivery::{DeliveryLane, PostponeOutcome, SettleOutcome, SettledAttempt};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use super::attributes::Key;
use super::rates::CONFIRMATIONS;
use super::record::from_item;
use super::usual::confirmation as usual;
use super::{DynamoStore, unavailable};

#[async_trait]
impl ConfirmationStore for DynamoStore {
    async fn create(
        &self,
        new: Confirmation,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let created = CreateOutcome::Created;
        let decide = |current, new| transitions::create(current, new, now);
        self.put_new(new.id, new, now, created, decide)
            .await
            .map_err(unavailable("confirmation store: create"))
    }

    /// The rate is this instance's own. How many are open is not counted.
    async fn create_within(
        &self,
        new: Confirmation,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let Allowance::Within(quota) = allowance else {
            return self.create(new, now).await;
        };
        let app = new.app.clone();
        if let Err(exceeded) = self.rates.take(CONFIRMATIONS, &app, &quota, now) {
            // A replay is answered all the same.
            let earlier = match &new.idempotency {
                Some(_) => self.find(new.id, now).await?,
                None => None,
            };
            return Ok(match earlier {
                Some(earlier) => CreateOutcome::Exists(Box::new(earlier)),
                None => CreateOutcome::Exceeded(exceeded),
            });
        }
        let outcome = self.create(new, now).await;
        if !matches!(outcome, Ok(CreateOutcome::Created)) {
            self.rates.give_back(CONFIRMATIONS, &app, &quota, now);
        }
        outcome
    }

    async fn find(
        &self,
        id: ConfirmationId,
        now: Timestamp,
    ) -> Result<Option<Confirmation>, Unavailable> {
        let read = async {
            let item = self.get(Key::confirmation(id)).await?;
            let item = item.map(|item| from_item(id, &item)).transpose()?;
            Ok(item.filter(|item: &Confirmation| now < item.purge_at))
        };
        read.await.map_err(unavailable("confirmation store: find"))
    }

    async fn verify(
        &self,
        id: ConfirmationId,
        evidence: &TextEvidence,
        now: Timestamp,
        retention: Duration,
    ) -> Result<VerifyOutcome, Unavailable> {
        let usual = usual::verify(id, evidence, now, retention);
        let made = |item: Confirmation| {
            let pointer = item.pointer()?;
            let app = item.app;
            Some(VerifyOutcome::Verified { pointer, app })
        };
        let decide = |current| transitions::verify(current, evidence, now, retention);
        self.transit(id, usual, made, decide)
            .await
            .map_err(unavailable("confirmation store: verify"))
    }

    async fn cancel(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable> {
        let usual = usual::cancel(id, app, now);
        let made = |item| Some(CancelOutcome::Cancelled(Box::new(item)));
        let decide = |current| transitions::cancel(current, app, now);
        self.transit(id, usual, made, decide)
            .await
            .map_err(unavailable("confirmation store: cancel"))
    }

    async fn redact(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<RedactOutcome, Unavailable> {
        let usual = usual::redact(id, app, now);
        let made = |item| Some(RedactOutcome::Redacted(Box::new(item)));
        let decide = |current| transitions::redact(current, app, now);
        self.transit(id, usual, made, decide)
            .await
            .map_err(unavailable("confirmation store: redact"))
    }

    async fn redeliver(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
        retention: Duration,
    ) -> Result<RedeliverOutcome, Unavailable> {
        let usual = usual::redeliver(id, app, now, retention);
        let made = |item: Confirmation| {
            let pointer = item.pointer()?;
            let confirmation = Box::new(item);
            Some(RedeliverOutcome::Owed {
                confirmation,
                pointer,
            })
        };
        let decide = |current| transitions::redeliver(current, app, now, retention);
        self.transit(id, usual, made, decide)
            .await
            .map_err(unavailable("confirmation store: redeliver"))
    }

    async fn claim(
        &self,
        id: ConfirmationId,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimOutcome, Unavailable> {
        let usual = usual::claim(id, attempts_claimed, now);
        let made = |item| Some(ClaimOutcome::Claimed(Box::new(item)));
        let decide = |current| transitions::claim(current, attempts_claimed, now);
        self.transit(id, usual, made, decide)
            .await
            .map_err(unavailable("confirmation store: claim"))
    }

    async fn settle(
        &self,
        id: ConfirmationId,
        settled: SettledAttempt,
        now: Timestamp,
        retention: Duration,
    ) -> Result<SettleOutcome, Unavailable> {
        let usual = usual::settle(id, &settled, now, retention);
        let made = |item: Confirmation| {
            let pointer = item.pointer();
            Some(SettleOutcome::Settled { pointer })
        };
        let decide = |current| transitions::settle(current, settled.clone(), now, retention);
        self.transit(id, usual, made, decide)
            .await
            .map_err(unavailable("confirmation store: settle"))
    }

    async fn due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable> {
        self.due_confirmation_lanes(now)
            .await
            .map_err(unavailable("confirmation store: due lanes"))
    }

    async fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable> {
        self.due_confirmations(lane, now, after, limit)
            .await
            .map_err(unavailable("confirmation store: due"))
    }

    async fn postpone(&self, due: Due, now: Timestamp) -> Result<PostponeOutcome, Unavailable> {
        let usual = usual::postpone(due, now);
        let made = |item: Confirmation| item.pointer().map(PostponeOutcome::Postponed);
        let decide = |current| transitions::postpone(current, due.due_at, now);
        self.transit(due.confirmation, usual, made, decide)
            .await
            .map_err(unavailable("confirmation store: postpone"))
    }
}
