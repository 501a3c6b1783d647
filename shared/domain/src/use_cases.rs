//! The use cases: the operations that Countersign offers to its callers, implemented on top of the
//! ports. Hosts differ only in how they implement the ports.

pub mod association_keys;
pub mod client_channel;
pub mod deliver;
pub mod logins;
pub mod openid;
pub mod phone_registrations;
pub mod receive_text;
pub mod start;
pub mod sweep;
pub mod test_webhook;

use std::time::Duration;

use crate::confirmation::{RETENTION, VALIDITY};
use crate::delivery::DeliveryPointer;
use crate::delivery::queue::{DeliveryQueue, Enqueued};
use crate::event::{Event, Labels, Metrics};
use crate::primitives::entropy::Entropy;
use crate::primitives::time::Clock;
use crate::store::Store;

/// The ports that most use cases need.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// Store of confirmations, logins, apps and all other documents.
    pub store: &'a Store,
    /// Queue that wakes the dispatcher.
    pub queue: &'a dyn DeliveryQueue,
    /// Wall clock, which decides about expiry.
    pub clock: &'a dyn Clock,
    /// Source of random values.
    pub entropy: &'a dyn Entropy,
    /// Counters of events.
    pub metrics: &'a dyn Metrics,
}

impl Ports<'_> {
    /// Disables counting if `uncounted`: tests must not affect the metrics of real users.
    #[must_use]
    pub(crate) fn uncounted_if(self, uncounted: bool) -> Self {
        struct Uncounted;

        impl Metrics for Uncounted {
            fn count(&self, _: &Event, _: Labels<'_>) {}
        }

        if uncounted {
            Ports {
                metrics: &Uncounted,
                ..self
            }
        } else {
            self
        }
    }
}

/// The lifetimes of confirmations, which operators can configure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Time that a confirmation is open.
    pub validity: Duration,
    /// Time that a verified confirmation is kept after the last possible retry of its webhook.
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

/// Enqueues the pointer of a pending delivery. If the queue is unavailable or full, this is only
/// counted: the item records that the delivery is pending, and the sweep will find it.
pub async fn wake_dispatcher(ports: Ports<'_>, pointer: DeliveryPointer, delay: Duration) {
    match ports.queue.enqueue(pointer, delay).await {
        Ok(Enqueued::Waiting) => {}
        Ok(Enqueued::LeftToSweep) => ports.metrics.count(&Event::LeftToSweep, Labels::default()),
        Err(_) => ports
            .metrics
            .count(&Event::EnqueueFailed, Labels::default()),
    }
}
