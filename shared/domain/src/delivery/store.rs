//! The port to the store of deliveries.

use std::time::Duration;

use async_trait::async_trait;

use super::{
    ClaimOutcome, DeliveryLane, DeliverySubject, PostponeOutcome, SettleOutcome, SettledAttempt,
};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// A store of deliveries, each in the item that owes it. A dispatcher claims the attempt that a
/// pointer names, posts the webhook, and settles the attempt.
///
/// Every implementation MUST
/// - make each method that changes an item one atomic conditional write that decides as the
///   transition of the same name in [`delivery::transitions`](super::transitions) does, whatever
///   runs concurrently;
/// - have its writes on disk (or replicated) before it answers, except for a claim, which may be
///   lost with the process that made it;
/// - treat an item as absent from its `purge_at` on;
/// - never base a transition on data read from an index.
#[async_trait]
pub trait DeliveryStore: Send + Sync {
    /// Claims the attempt after `attempts_claimed` others.
    async fn claim(
        &self,
        subject: DeliverySubject,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimOutcome, Unavailable>;

    /// Stores the result of a claimed attempt. `retention` is how long a confirmation is kept after
    /// its webhook; a login's webhook leaves its item once it is delivered or given up.
    async fn settle(
        &self,
        subject: DeliverySubject,
        settled: SettledAttempt,
        now: Timestamp,
        retention: Duration,
    ) -> Result<SettleOutcome, Unavailable>;

    /// Lists the lanes in which something is due at `now`, each once. May be stale.
    ///
    /// MUST take time by the number of lanes and not by that of the entries: a lane with 300,000 of
    /// them must not keep the sweep from the others.
    async fn due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable>;

    /// Lists at most `limit` entries of one lane that are due at `now`, the longest due first,
    /// beginning after `after`. Fewer than `limit` means that there are no more. May be stale. MUST
    /// take time by `limit`, whatever other lanes hold.
    async fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable>;

    /// Moves the time at which the sweep checks a delivery.
    async fn postpone(&self, due: Due, now: Timestamp) -> Result<PostponeOutcome, Unavailable>;
}

/// An entry of the due index. Ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// Time at which the sweep checks the delivery.
    pub due_at: Timestamp,
    /// The item that owes the webhook.
    pub subject: DeliverySubject,
    /// The lane of its webhook.
    pub lane: DeliveryLane,
}
