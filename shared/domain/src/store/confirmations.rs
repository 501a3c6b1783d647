//! Confirmations.

use std::time::Duration;

use async_trait::async_trait;

use super::document::Key;
use super::{Started, Store};
use crate::app::quota::Allowance;
use crate::confirmation::Confirmation;
use crate::confirmation::carrier::CarrierName;
use crate::confirmation::miss::Unfit;
use crate::confirmation::store::ConfirmationStore;
use crate::confirmation::transitions::{
    self, CancelOutcome, CarrierOutcome, CreateOutcome, MissOutcome, RedactOutcome,
    RedeliverOutcome, TextEvidence, VerifyOutcome,
};
use crate::primitives::ids::{AppId, ConfirmationId};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

#[async_trait]
impl ConfirmationStore for Store {
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
        let (key, app) = (Key::Confirmation(new.id), new.app.clone());
        let started = self.start(
            (&key, new.clone()),
            (&app, |rates| &mut rates.confirmations),
            allowance,
            now,
        );
        Ok(match started.await? {
            Started::Made => CreateOutcome::Created,
            Started::Present(present) => transitions::create(Some(present), new, now).outcome,
            Started::Exceeded(exceeded) => CreateOutcome::Exceeded(exceeded),
        })
    }

    async fn find(
        &self,
        id: ConfirmationId,
        now: Timestamp,
    ) -> Result<Option<Confirmation>, Unavailable> {
        let found = self.get::<Confirmation>(&Key::Confirmation(id)).await?;
        Ok(found.filter(|item| now < item.purge_at))
    }

    async fn verify(
        &self,
        id: ConfirmationId,
        evidence: &TextEvidence,
        now: Timestamp,
        retention: Duration,
    ) -> Result<VerifyOutcome, Unavailable> {
        let decide = |current| transitions::verify(current, evidence, now, retention);
        self.change(&Key::Confirmation(id), decide).await
    }

    async fn record_miss(
        &self,
        id: ConfirmationId,
        unfit: Unfit,
        now: Timestamp,
    ) -> Result<MissOutcome, Unavailable> {
        let decide = |current| transitions::record_miss(current, unfit, now);
        self.change(&Key::Confirmation(id), decide).await
    }

    async fn decide_carrier(
        &self,
        id: ConfirmationId,
        name: &CarrierName,
        now: Timestamp,
    ) -> Result<CarrierOutcome, Unavailable> {
        let decide = |current| transitions::decide_carrier(current, name, now);
        self.change(&Key::Confirmation(id), decide).await
    }

    async fn cancel(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable> {
        let decide = |current| transitions::cancel(current, app, now);
        self.change(&Key::Confirmation(id), decide).await
    }

    async fn redact(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<RedactOutcome, Unavailable> {
        let decide = |current| transitions::redact(current, app, now);
        self.change(&Key::Confirmation(id), decide).await
    }

    async fn redeliver(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
        retention: Duration,
    ) -> Result<RedeliverOutcome, Unavailable> {
        let decide = |current| transitions::redeliver(current, app, now, retention);
        self.change(&Key::Confirmation(id), decide).await
    }
}
