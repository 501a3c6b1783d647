//! The port of the queue that wakes the dispatcher.

use std::time::Duration;

use async_trait::async_trait;

use super::DeliveryPointer;
use crate::primitives::unavailable::Unavailable;

/// Maximum delay that a queue accepts (15 minutes in SQS). The index takes care of longer waits.
pub const MAX_QUEUE_DELAY: Duration = Duration::from_mins(15);

/// A queue of pointers that wakes the dispatcher.
///
/// An implementation may lose, duplicate or reorder pointers, since an index lists the deliveries that
/// are pending. It MUST NOT hand a pointer out before its delay has passed.
///
/// Pointers of one lane MUST NOT keep pointers of another from being accepted or handed out, however
/// many there are and whatever their attempts do.
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Queues a pointer, to be handed out after `delay`, at most [`MAX_QUEUE_DELAY`]. A queue
    /// without room MAY leave it to the index, or another pointer of a lane that has more of them
    /// waiting.
    async fn enqueue(
        &self,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<Enqueued, Unavailable>;
}

/// The result of queueing a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enqueued {
    /// The pointer waits for its time, or an equal one already did.
    Waiting,
    /// The queue has no room in the lane. The delivery will be found in the index.
    LeftToSweep,
}
