//! The port of the queue that wakes the dispatcher.

use std::time::Duration;

use async_trait::async_trait;

use super::{DeliveryLane, DeliveryPointer, DeliverySubject};
use crate::primitives::unavailable::Unavailable;

/// The longest delay that a queue takes (SQS: 15 minutes). The sweep takes care of longer waits.
pub const MAX_QUEUE_DELAY: Duration = Duration::from_mins(15);

/// The queue that wakes the dispatcher.
///
/// An implementation may lose, repeat or reorder pointers, because the sweep finds owed webhooks.
/// It MUST NOT hand one out before its delay is over.
///
/// The pointers of one lane MUST NOT keep those of another from being taken or handed out, however
/// many there are and whatever their attempts do.
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Puts a pointer into the queue, to be handed out after `delay`, at most
    /// [`MAX_QUEUE_DELAY`]. A queue without room for it MAY leave it to the sweep, or another
    /// of a lane that has more waiting.
    async fn enqueue(
        &self,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<Enqueued, Unavailable>;

    /// Returns whether the queue would take a delivery of that lane from the sweep. A queue that
    /// cannot tell has room.
    fn room_for(&self, lane: DeliveryLane, subject: DeliverySubject) -> Room {
        let _ = (lane, subject);
        Room::Free(usize::MAX)
    }
}

/// The outcome of putting a pointer into the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enqueued {
    /// The pointer waits for its time, or an equal one waited already.
    Waiting,
    /// The queue has no room for more of its lane. The sweep finds the delivery when it is due.
    LeftToSweep,
}

/// Whether a queue would take a delivery from the sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// It has room for this many of the lane in all.
    Free(usize),
    /// The delivery waits there already, or its attempt is under way.
    Held,
    /// It has room only in place of another of the lane: for a receiver that has less waiting there
    /// than the one with the most.
    Contested,
    /// There is no room for more of that lane.
    Full,
}
