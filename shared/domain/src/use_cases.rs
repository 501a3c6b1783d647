//! What Countersign does for its callers, over the ports. Hosts differ in what they put behind the
//! ports and in nothing else.

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

/// The times that an operator may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// How long a session is open.
    pub validity: Duration,
    /// How long a verified confirmation is kept once its webhook can no longer be retried.
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

/// Puts the pointer of a delivery that is owed into the queue. Where the queue cannot be reached or
/// has no room, that is counted and nothing else: the delivery is owed by its item, and the sweep
/// finds it.
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
