//! The use cases: what Countersign does for its callers, over the ports. Hosts differ only in their
//! implementations of the ports.

pub mod association_keys;
pub mod deliver;
pub mod logins;
pub mod receive_text;
pub mod start;
pub mod sweep;
pub mod test_webhook;

use std::time::Duration;

use crate::confirmation::{RETENTION, VALIDITY};
use crate::delivery::DeliveryPointer;
use crate::delivery::queue::{DeliveryQueue, Enqueued};
use crate::event::{Event, Metrics};

/// The lifetimes of confirmations, which operators may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Time for which a confirmation is open.
    pub validity: Duration,
    /// Time for which a verified confirmation is kept after its webhook can no longer be retried.
    pub retention: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            validity: VALIDITY,
            retention: RETENTION,
        }
    }
}

/// Queues the pointer of a delivery that is owed. If the queue is unavailable or full, this is only
/// counted: the item says that the delivery is owed, and the sweep will find it.
pub async fn wake_dispatcher(
    queue: &dyn DeliveryQueue,
    metrics: &dyn Metrics,
    pointer: DeliveryPointer,
    delay: Duration,
) {
    match queue.enqueue(pointer, delay).await {
        Ok(Enqueued::Waiting) => {}
        Ok(Enqueued::LeftToSweep) => metrics.count(&Event::LeftToSweep),
        Err(_) => metrics.count(&Event::EnqueueFailed),
    }
}
