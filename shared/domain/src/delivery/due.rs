//! The indexes of webhooks that are owed.

use async_trait::async_trait;

use super::{DeliveryLane, DeliveryLine, DeliveryPointer, DeliverySubject};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// An entry of the index of a sweep. Ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// Time at which the sweep checks the delivery.
    pub due_at: Timestamp,
    /// The item that owes the webhook.
    pub subject: DeliverySubject,
    /// The lane of its webhook.
    pub lane: DeliveryLane,
}

/// The index in which a sweep finds deliveries whose pointers a queue has lost. It may be stale.
#[async_trait]
pub trait DueIndex: Send + Sync {
    /// Lists the lanes in which something is due at `now`, each once. MUST take time by the number of
    /// lanes and not by that of the entries: a lane with 300,000 of them must not keep the sweep from
    /// the others.
    async fn due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable>;

    /// Lists at most `limit` entries of one lane that are due at `now`, in their order, beginning after
    /// `after`. Fewer than `limit` means that there are no more. MUST take time by `limit`, whatever
    /// other lanes hold.
    async fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable>;
}

/// The next attempt of a webhook that is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextAttempt {
    /// Time of the attempt; a time in the past means at once.
    pub at: Timestamp,
    pub pointer: DeliveryPointer,
}

/// The index of all webhooks that are owed, which a queue in the same process looks into. It is never
/// stale, and a read takes microseconds.
pub trait OwedIndex: Send + Sync {
    /// Lists at most `limit` lines in which something is owed, in their order, beginning after `after`,
    /// each with the time of its first attempt. MUST take time by `limit`, whatever the lines hold.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    fn lines(
        &self,
        after: Option<DeliveryLine>,
        limit: usize,
    ) -> Result<Vec<(DeliveryLine, Timestamp)>, Unavailable>;

    /// Lists at most `limit` attempts of one line, earliest first. MUST take time by `limit`, whatever
    /// other lines hold.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    fn attempts(&self, line: DeliveryLine, limit: usize) -> Result<Vec<NextAttempt>, Unavailable>;
}
