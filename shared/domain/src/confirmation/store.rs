//! The port of confirmations.

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

/// Where confirmations are kept, one item each.
///
/// Every implementation MUST
/// - make each method that changes an item one atomic conditional write that decides as the
///   function of the same name in [`crate::confirmation::transitions`] does, whatever runs beside
///   it;
/// - have what it wrote on disk (or replicated) before it answers, except for a claim, which may
///   be lost with the process that made it;
/// - treat an item as absent from its `purge_at` on, and remove it some time later;
/// - never read anything that decides a transition from an index.
#[async_trait]
pub trait ConfirmationStore: Send + Sync {
    /// Puts a new session if there is none with its id.
    async fn create(&self, new: Confirmation, now: Timestamp)
    -> Result<CreateOutcome, Unavailable>;

    /// As [`create`](Self::create), within the quota of its app. A store that holds apps to quotas
    /// MUST decide as [`crate::confirmation::transitions::create_within`] does: an item that is
    /// there already is answered and not counted. The provided method holds nobody to anything.
    async fn create_within(
        &self,
        new: Confirmation,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let _ = allowance;
        self.create(new, now).await
    }

    /// The item, strongly consistent.
    async fn find(
        &self,
        id: ConfirmationId,
        now: Timestamp,
    ) -> Result<Option<Confirmation>, Unavailable>;

    /// Lets a text complete a session.
    async fn verify(
        &self,
        id: ConfirmationId,
        evidence: &TextEvidence,
        now: Timestamp,
        retention: Duration,
    ) -> Result<VerifyOutcome, Unavailable>;

    /// Ends an open session of the app.
    async fn cancel(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable>;

    /// Erases the personal data of a session of the app that has ended.
    async fn redact(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<RedactOutcome, Unavailable>;

    /// Makes the webhook of a session of the app owed again.
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
