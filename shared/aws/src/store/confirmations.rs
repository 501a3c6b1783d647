//! The confirmation store.

use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::app::quota::Allowance;
use countersign_domain::confirmation::carrier::CarrierName;
use countersign_domain::confirmation::miss::Unfit;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::{
    CancelOutcome, CarrierOutcome, CreateOutcome, MissOutcome, RedactOutcome, RedeliverOutcome,
    TextEvidence, VerifyOutcome,
};
use countersign_domain::confirmation::{Confirmation, transitions};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use super::attributes::Key;
use super::rates::CONFIRMATIONS;
use super::record::from_item;
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

    /// Counts the rate in this instance only, and does not limit how many confirmations are open.
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
            // Replays are answered even when the rate is used up.
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
        let decide = |current| transitions::verify(current, evidence, now, retention);
        self.transact(id, decide)
            .await
            .map_err(unavailable("confirmation store: verify"))
    }

    async fn record_miss(
        &self,
        id: ConfirmationId,
        unfit: Unfit,
        now: Timestamp,
    ) -> Result<MissOutcome, Unavailable> {
        let decide = |current| transitions::record_miss(current, unfit, now);
        self.transact(id, decide)
            .await
            .map_err(unavailable("confirmation store: record miss"))
    }

    async fn decide_carrier(
        &self,
        id: ConfirmationId,
        name: &CarrierName,
        now: Timestamp,
    ) -> Result<CarrierOutcome, Unavailable> {
        let decide = |current| transitions::decide_carrier(current, name, now);
        self.transact(id, decide)
            .await
            .map_err(unavailable("confirmation store: decide carrier"))
    }

    async fn cancel(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable> {
        let decide = |current| transitions::cancel(current, app, now);
        self.transact(id, decide)
            .await
            .map_err(unavailable("confirmation store: cancel"))
    }

    async fn redact(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<RedactOutcome, Unavailable> {
        let decide = |current| transitions::redact(current, app, now);
        self.transact(id, decide)
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
        let decide = |current| transitions::redeliver(current, app, now, retention);
        self.transact(id, decide)
            .await
            .map_err(unavailable("confirmation store: redeliver"))
    }
}
