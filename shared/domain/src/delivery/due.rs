//! The indexes of pending webhooks.

use async_trait::async_trait;

use super::{DeliveryLine, DeliveryPointer, DeliverySubject};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// An entry of the index of a sweep. Ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// Time at which the sweep checks the delivery.
    pub due_at: Timestamp,
    /// The item of the webhook.
    pub subject: DeliverySubject,
}

/// A part of the index of a sweep. Parts are read independently of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DuePart(pub u8);

/// The first entry that a read of a part may return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DueFrom {
    /// The first one that is due at this time or later.
    Time(Timestamp),
    /// The one after this entry, which may be gone.
    After(Due),
}

impl DueFrom {
    /// The first entry of all.
    pub const BEGINNING: Self = Self::Time(Timestamp::from_millis(0));
}

/// The index in which a sweep finds deliveries whose pointers a queue has lost. It may be stale.
#[async_trait]
pub trait DueIndex: Send + Sync {
    /// Returns the parts, which are always the same. Each delivery is in one of them.
    fn parts(&self) -> Vec<DuePart>;

    /// Lists at most `limit` entries of a part that are due at `now`, in the order of time, beginning at
    /// `from`. Entries of one millisecond MUST have the same order each time. Fewer than `limit` means
    /// that there are no more. MUST take time by `limit`, whatever else is pending or due.
    async fn due(
        &self,
        part: DuePart,
        now: Timestamp,
        from: DueFrom,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable>;
}

/// The next attempt of a pending webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextAttempt {
    /// Time of the attempt; a time in the past means immediately.
    pub at: Timestamp,
    pub pointer: DeliveryPointer,
}

/// The index of all pending webhooks, which a queue in the same process looks into. It is never
/// stale, and a read takes microseconds.
pub trait OwedIndex: Send + Sync {
    /// Lists at most `limit` lines with pending webhooks, in their order, beginning after `after`,
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
