//! The port of the queue that wakes the dispatcher.

use std::time::Duration;

use async_trait::async_trait;

use super::{DeliveryLane, DeliveryPointer, DeliverySubject};
use crate::primitives::unavailable::Unavailable;

/// Maximum delay that a queue accepts (15 minutes in SQS). The sweep takes care of longer waits.
pub const MAX_QUEUE_DELAY: Duration = Duration::from_mins(15);

/// A queue of pointers that wakes the dispatcher.
///
/// An implementation may lose, duplicate or reorder pointers, since the sweep finds deliveries that
/// are owed. It MUST NOT hand a pointer out before its delay has passed.
///
/// Pointers of one lane MUST NOT keep those of another from being accepted or handed out, however
/// many there are and whatever their attempts do.
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Queues a pointer, to be handed out after `delay`, at most [`MAX_QUEUE_DELAY`]. A queue
    /// without room MAY leave it to the sweep, or another pointer of a lane that has more of them
    /// waiting.
    async fn enqueue(
        &self,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<Enqueued, Unavailable>;

    /// Returns what the queue would do with a delivery that the sweep found. A queue that cannot
    /// tell has room.
    fn room_for(&self, lane: DeliveryLane, subject: DeliverySubject) -> Room {
        let _ = (lane, subject);
        Room::Free(usize::MAX)
    }
}

/// The result of queueing a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enqueued {
    /// The pointer waits for its time, or an equal one already did.
    Waiting,
    /// The queue has no room in the lane. The sweep will find the delivery when it is due.
    LeftToSweep,
}

/// The room that a queue has for a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// There is room for this many of the lane.
    Free(usize),
    /// The delivery is queued already, or its attempt is in progress.
    Held,
    /// There is only room in place of another pointer of the lane, for a receiver with fewer
    /// waiting pointers than the one that has most.
    Contested,
    /// There is no room in the lane.
    Full,
}
