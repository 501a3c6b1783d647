//! The port of confirmations.

use std::time::Duration;

use async_trait::async_trait;

use super::Confirmation;
use super::transitions::{
    CancelOutcome, CreateOutcome, RedactOutcome, RedeliverOutcome, TextEvidence, VerifyOutcome,
};
use crate::app::quota::Allowance;
use crate::primitives::ids::{AppId, ConfirmationId};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// Where confirmations are kept, one item each. Their webhooks are the business of the
/// [`DeliveryStore`](crate::delivery::store::DeliveryStore), which sees the same items.
///
/// Every implementation MUST
/// - make each method that changes an item one atomic conditional write that decides as the
///   function of the same name in [`crate::confirmation::transitions`] does, whatever runs at the
///   same time;
/// - have the write on disk (or replicated) before it answers;
/// - treat an item as absent from its `purge_at` on, and remove it some time later;
/// - never read anything that decides a transition from an index.
#[async_trait]
pub trait ConfirmationStore: Send + Sync {
    /// Stores a new confirmation, unless one has its id.
    async fn create(&self, new: Confirmation, now: Timestamp)
    -> Result<CreateOutcome, Unavailable>;

    /// Stores a new confirmation as [`create`](Self::create) does, within the quota of its app. A
    /// store that enforces quotas MUST decide as
    /// [`crate::confirmation::transitions::create_within`] does: an item that exists is answered and
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

    /// Reads the item, strongly consistent.
    async fn find(
        &self,
        id: ConfirmationId,
        now: Timestamp,
    ) -> Result<Option<Confirmation>, Unavailable>;

    /// Lets a text complete a confirmation.
    async fn verify(
        &self,
        id: ConfirmationId,
        evidence: &TextEvidence,
        now: Timestamp,
        retention: Duration,
    ) -> Result<VerifyOutcome, Unavailable>;

    /// Ends an open confirmation of the app.
    async fn cancel(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable>;

    /// Erases the personal data of a confirmation of the app that has ended.
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
