//! The port of the queue that wakes the dispatcher.

use std::time::Duration;

use async_trait::async_trait;

use super::DeliveryPointer;
use crate::primitives::unavailable::Unavailable;

/// Maximum delay that a queue accepts (15 minutes in SQS). The sweep handles longer waits.
pub const MAX_QUEUE_DELAY: Duration = Duration::from_mins(15);

/// A queue of pointers that wakes the dispatcher.
///
/// An implementation may lose, duplicate or reorder pointers, because an index lists the pending
/// deliveries. It MUST NOT return a pointer before its delay has passed.
///
/// Pointers of one lane MUST NOT prevent pointers of another from being accepted or returned,
/// however many there are and whatever their attempts do.
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Enqueues a pointer, to be returned after `delay`, at most [`MAX_QUEUE_DELAY`]. A full queue
    /// MAY leave the pointer to the index, or drop another pointer of a lane that has more of them
    /// waiting.
    async fn enqueue(
        &self,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<Enqueued, Unavailable>;
}

/// The result of enqueueing a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enqueued {
    /// The pointer is enqueued, or an equal one already was.
    Waiting,
    /// The queue has no room for the lane. The sweep will find the delivery in the index.
    LeftToSweep,
}
