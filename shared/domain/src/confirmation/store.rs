//! The port to the store of confirmations.

use std::time::Duration;

use async_trait::async_trait;

use super::Confirmation;
use super::carrier::CarrierName;
use super::miss::Unfit;
use super::transitions::{
    CancelOutcome, CarrierOutcome, CreateOutcome, MissOutcome, RedactOutcome, RedeliverOutcome,
    TextEvidence, VerifyOutcome,
};
use crate::app::quota::Allowance;
use crate::primitives::ids::{AppId, ConfirmationId};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// A store of confirmations, with one item each. Their webhooks are in the
/// [`DeliveryStore`](crate::delivery::store::DeliveryStore), which has the same items.
///
/// Every implementation MUST
/// - make each method that changes an item one atomic conditional write that decides as the
///   function of the same name in [`crate::confirmation::transitions`] does, whatever runs
///   concurrently;
/// - have its writes on disk (or replicated) before it answers;
/// - treat an item as absent from its `purge_at` on, and remove it some time later;
/// - never base a transition on data read from an index.
///
/// The suite `countersign_conformance::suite::confirmations` checks all of this; run it against
/// every implementation. `countersign_conformance::model::ModelStore` passes it and is a simple one to
/// start from.
#[async_trait]
pub trait ConfirmationStore: Send + Sync {
    /// Stores a new confirmation, unless an item with its id exists.
    async fn create(&self, new: Confirmation, now: Timestamp)
    -> Result<CreateOutcome, Unavailable>;

    /// Stores a new confirmation as [`create`](Self::create) does, within the quota of its app.
    /// Stores that enforce quotas MUST decide as
    /// [`crate::confirmation::transitions::create_within`] does: an existing item is returned and
    /// not counted. The provided method enforces no quota.
    async fn create_within(
        &self,
        new: Confirmation,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let _ = allowance;
        self.create(new, now).await
    }

    /// Reads an item with strong consistency.
    async fn find(
        &self,
        id: ConfirmationId,
        now: Timestamp,
    ) -> Result<Option<Confirmation>, Unavailable>;

    /// Completes a confirmation by a text, or records the text as a miss if it is the first.
    async fn verify(
        &self,
        id: ConfirmationId,
        evidence: &TextEvidence,
        now: Timestamp,
        retention: Duration,
    ) -> Result<VerifyOutcome, Unavailable>;

    /// Records the first text with the confirmation's code that could complete none. At most one
    /// write of a confirmation is caused by misses, here or in [`verify`](Self::verify).
    async fn record_miss(
        &self,
        id: ConfirmationId,
        unfit: Unfit,
        now: Timestamp,
    ) -> Result<MissOutcome, Unavailable>;

    /// Decides the carrier of a verified confirmation. The first decision stays.
    async fn decide_carrier(
        &self,
        id: ConfirmationId,
        name: &CarrierName,
        now: Timestamp,
    ) -> Result<CarrierOutcome, Unavailable>;

    /// Cancels an open confirmation of the app.
    async fn cancel(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable>;

    /// Erases the personal data of a finished confirmation of the app.
    async fn redact(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<RedactOutcome, Unavailable>;

    /// Makes the webhook of a confirmation of the app owed again.
    async fn redeliver(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
        retention: Duration,
    ) -> Result<RedeliverOutcome, Unavailable>;
}
