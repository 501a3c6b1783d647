//! The indexes of pending webhooks.

use async_trait::async_trait;

use super::{DeliveryPointer, DeliverySubject, ReceiverShard};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// An entry of the sweep's index. Ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DueEntry {
    /// Time when the sweep checks the delivery.
    pub due_at: Timestamp,
    /// The item of the webhook.
    pub subject: DeliverySubject,
}

/// A partition of the sweep's index. Partitions are read independently of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DuePartition(pub u8);

/// The first entry that a read of a partition may return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DueStart {
    /// The first entry that is due at this time or later.
    Time(Timestamp),
    /// The entry after this one, which may no longer exist.
    After(DueEntry),
}

impl DueStart {
    /// The first entry of the partition.
    pub const BEGINNING: Self = Self::Time(Timestamp::from_millis(0));
}

/// The index in which a sweep finds deliveries whose pointers were lost by a queue. Reads may be
/// stale.
#[async_trait]
pub trait DueIndex: Send + Sync {
    /// Returns the partitions, which never change. Each delivery is in exactly one of them.
    fn parts(&self) -> Vec<DuePartition>;

    /// Lists at most `limit` entries of a partition that are due at `now`, ordered by time, starting at
    /// `from`. Entries of the same millisecond MUST have the same order each time. Returns fewer than
    /// `limit` only if there are no more. The cost MUST depend only on `limit`, not on how much else is
    /// pending or due.
    async fn due(
        &self,
        part: DuePartition,
        now: Timestamp,
        from: DueStart,
        limit: usize,
    ) -> Result<Vec<DueEntry>, Unavailable>;
}

/// The next attempt of a pending webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextAttempt {
    /// Time of the attempt; a time in the past means immediately.
    pub at: Timestamp,
    pub pointer: DeliveryPointer,
}

/// The index of all pending webhooks, which a queue in the same process reads. Reads are never
/// stale, and take microseconds.
pub trait PendingIndex: Send + Sync {
    /// Lists at most `limit` shards with pending webhooks, in order, starting after `after`, each
    /// with the time of its first attempt. The cost MUST depend only on `limit`, not on the
    /// contents of the shards.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    fn shards(
        &self,
        after: Option<ReceiverShard>,
        limit: usize,
    ) -> Result<Vec<(ReceiverShard, Timestamp)>, Unavailable>;

    /// Lists at most `limit` attempts of a shard, earliest first. The cost MUST depend only on
    /// `limit`, not on the contents of other shards.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    fn attempts(&self, shard: ReceiverShard, limit: usize)
    -> Result<Vec<NextAttempt>, Unavailable>;
}
