//! The port of the queue that wakes the dispatcher.

use std::time::Duration;

use async_trait::async_trait;

use super::{DeliveryLane, DeliveryPointer, DeliverySubject};
use crate::primitives::unavailable::Unavailable;

/// The longest delay that a queue takes (SQS: 15 minutes). Longer waits are the sweep's.
pub const MAX_QUEUE_DELAY: Duration = Duration::from_mins(15);

/// The queue that wakes the dispatcher.
///
/// An implementation may lose, double or reorder pointers, since the sweep finds what is owed; it
/// MUST NOT hand one out before its delay is over.
///
/// One lane's pointers MUST NOT keep another's from being taken or handed out, however many there
/// are and whatever the attempts do that they lead to.
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

    /// What the sweep would find the queue to do with a delivery of that lane. A queue that cannot
    /// tell has room.
    fn room_for(&self, lane: DeliveryLane, subject: DeliverySubject) -> Room {
        let _ = (lane, subject);
        Room::Free(usize::MAX)
    }
}

/// What became of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enqueued {
    /// It waits for its time, or one like it did already.
    Waiting,
    /// The queue has no room for more of its lane. The sweep finds the delivery when it is due.
    LeftToSweep,
}

/// Whether a queue would take a delivery from the sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// It would, and so many of that lane in all.
    Free(usize),
    /// The delivery waits there already, or its attempt is under way.
    Held,
    /// There is none but in the place of another of that lane: for a receiver that has less waiting
    /// there than the one with the most.
    Contested,
    /// There is no room for more of that lane.
    Full,
}
