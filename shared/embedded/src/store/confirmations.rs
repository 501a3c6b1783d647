//! The confirmation store. The domain's transitions run on the writer's thread, which makes them
//! atomic.

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

use super::EmbeddedStore;
use super::quotas::CheckQuota;

#[async_trait]
impl ConfirmationStore for EmbeddedStore {
    async fn create(
        &self,
        new: Confirmation,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        self.create_within(new, Allowance::Unlimited, now).await
    }

    async fn create_within(
        &self,
        new: Confirmation,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let id = new.id;
        self.write("confirmation store: create", move |batch| {
            let check_and_create = |current, check: &CheckQuota<'_>| {
                let check = |item: &Confirmation| check(&item.app);
                transitions::create_within(current, new, check, now)
            };
            batch.create(id, allowance, now, check_and_create)
        })
        .await
    }

    async fn find(
        &self,
        id: ConfirmationId,
        now: Timestamp,
    ) -> Result<Option<Confirmation>, Unavailable> {
        self.find_item("confirmation store: find", id, now)
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

    async fn record_miss(
        &self,
        id: ConfirmationId,
        unfit: Unfit,
        now: Timestamp,
    ) -> Result<MissOutcome, Unavailable> {
        self.decide("confirmation store: record miss", id, move |current| {
            transitions::record_miss(current, unfit, now)
        })
        .await
    }

    async fn decide_carrier(
        &self,
        id: ConfirmationId,
        name: &CarrierName,
        now: Timestamp,
    ) -> Result<CarrierOutcome, Unavailable> {
        let name = name.clone();
        self.decide("confirmation store: decide carrier", id, move |current| {
            transitions::decide_carrier(current, &name, now)
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
}
