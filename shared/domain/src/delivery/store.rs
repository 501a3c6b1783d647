//! The port to the store of deliveries.

use std::time::Duration;

use async_trait::async_trait;

use super::{
    ClaimOutcome, DeliveryLane, DeliverySubject, PostponeOutcome, SettleOutcome, SettledAttempt,
};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// A store of deliveries, each in the item that owes it.
///
/// Every implementation MUST
/// - make each method that changes an item one atomic conditional write that decides as the
///   transition of the same name in [`delivery::transitions`](super::transitions) does, whatever
///   runs concurrently;
/// - have its writes on disk (or replicated) before it answers, except for a claim, which may be
///   lost with the process that made it;
/// - treat an item as absent from its `purge_at` on;
/// - never base a transition on data read from an index.
///
/// # Examples
///
/// A dispatcher claims the attempt that a pointer names, posts the webhook, and settles:
///
/// ```
/// # use std::time::Duration;
/// # use countersign_conformance::{model::ModelStore, samples};
/// use countersign_domain::delivery::store::DeliveryStore;
/// use countersign_domain::delivery::{
///     Attempt, AttemptResult, ClaimOutcome, SettleOutcome, SettledAttempt, Settlement,
/// };
///
/// # use futures_util::FutureExt as _;
/// # use countersign_domain::primitives::unavailable::Unavailable;
/// # async fn example() -> Result<(), Unavailable> {
/// # let (store, now, retention) = (ModelStore::default(), samples::NOW, samples::RETENTION);
/// # let owed = samples::verified(&samples::acquisition(1), &samples::text(1), now);
/// # let subject = owed.id.into();
/// # store.put(owed);
/// let ClaimOutcome::Claimed(claimed) = store.claim(subject, 0, now).await? else {
///     return Ok(()); // Another dispatcher has it.
/// };
/// assert_eq!(claimed.callback.as_str(), "https://example.com/hook?a=b");
///
/// let settled = SettledAttempt {
///     attempt: Attempt {
///         number: claimed.delivery.attempts_claimed,
///         at: now,
///         duration: Duration::from_millis(84),
///         result: AttemptResult::Answered(204),
///     },
///     signature: None,
///     settlement: Settlement::Delivered,
/// };
/// let outcome = store.settle(subject, settled, now, retention).await?;
/// assert_eq!(outcome, SettleOutcome::Settled { pointer: None });
///
/// // No webhook is owed any more, so there is nothing left to claim.
/// assert_eq!(store.claim(subject, 1, now).await?, ClaimOutcome::Stale);
/// # Ok(())
/// # }
/// # example().now_or_never().unwrap().unwrap();
/// ```
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
