//! Entries of the due index.

use super::{DeliveryLane, DeliverySubject};
use crate::primitives::time::Timestamp;

/// An entry of the due index. Ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// Time at which the sweep checks the delivery.
    pub due_at: Timestamp,
    /// The item that owes the webhook.
    pub subject: DeliverySubject,
    /// The lane of its webhook.
    pub lane: DeliveryLane,
}
