//! The times at which a request was sent and answered.

use countersign_domain::primitives::time::Timestamp;

/// A request that got an answer.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// When the request was sent.
    pub asked_at: Timestamp,
    /// When the answer arrived.
    pub answered_at: Timestamp,
}
