//! The port to the store of confirmations.

use std::time::Duration;

use async_trait::async_trait;

use super::Confirmation;
use super::transitions::{
    CancelOutcome, ClaimOutcome, CreateOutcome, RedactOutcome, RedeliverOutcome, TextEvidence,
    VerifyOutcome,
};
use crate::app::quota::Allowance;
use crate::delivery::{DeliveryLane, PostponeOutcome, SettleOutcome, SettledAttempt};
use crate::primitives::ids::{AppId, ConfirmationId};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// A store of confirmations, with one item each.
///
/// Every implementation MUST
/// - make each method that changes an item one atomic conditional write that decides as the
///   function of the same name in [`crate::confirmation::transitions`] does, whatever runs
///   concurrently;
/// - have its writes on disk (or replicated) before it answers, except for a claim, which may be
///   lost with the process that made it;
/// - treat an item as absent from its `purge_at` on, and remove it some time later;
/// - never base a transition on data read from an index.
///
/// The suite `countersign_conformance::suite::confirmations` checks all of this; run it against
/// every implementation. `ModelStore` is a simple one to start from, which passes it:
///
/// ```
/// # use futures_util::FutureExt as _;
/// use countersign_conformance::{model::ModelStore, samples};
/// use countersign_domain::confirmation::store::ConfirmationStore;
/// use countersign_domain::confirmation::transitions::CreateOutcome;
///
/// # async {
/// let store = ModelStore::default();
/// let new = samples::acquisition(1);
/// let now = new.created_at;
/// assert_eq!(store.create(new.clone(), now).await?, CreateOutcome::Created);
/// assert_eq!(store.find(new.id, now).await?, Some(new));
/// # Ok::<(), countersign_domain::primitives::unavailable::Unavailable>(())
/// # }.now_or_never().unwrap()?;
/// # Ok::<(), countersign_domain::primitives::unavailable::Unavailable>(())
/// ```
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

    /// Completes a confirmation by a text.
    async fn verify(
        &self,
        id: ConfirmationId,
        evidence: &TextEvidence,
        now: Timestamp,
        retention: Duration,
    ) -> Result<VerifyOutcome, Unavailable>;

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

    /// Claims the attempt after `attempts_claimed` others.
    async fn claim(
        &self,
        id: ConfirmationId,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimOutcome, Unavailable>;

    /// Writes down how a claimed attempt ended.
    async fn settle(
        &self,
        id: ConfirmationId,
        settled: SettledAttempt,
        now: Timestamp,
        retention: Duration,
    ) -> Result<SettleOutcome, Unavailable>;

    /// The lanes of which something is due at `now`, each once. May be stale.
    ///
    /// MUST take time by the number of lanes and not by that of the entries: a lane with 300,000 of
    /// them must not keep the sweep from the others.
    async fn due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable>;

    /// At most `limit` entries of one lane that are due at `now`, the longest due first, from the
    /// one after `after` on. Fewer than `limit` means that there are no more. May be stale. MUST
    /// take time by `limit`, whatever other lanes hold.
    async fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable>;

    /// Advances the instant at which the sweep looks after a delivery.
    async fn postpone(&self, due: Due, now: Timestamp) -> Result<PostponeOutcome, Unavailable>;
}

/// An entry of the due index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// When the sweep was to look after the delivery.
    pub due_at: Timestamp,
    /// Whose delivery it is.
    pub confirmation: ConfirmationId,
    /// The lane of its webhook.
    pub lane: DeliveryLane,
}
