//! How much a receiver may cost us.

use std::time::Duration;

/// The bounds of every webhook that a client sends. [`Limits::default`] is what is deployed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For looking a name up, part of `connect`.
    pub dns: Duration,
    /// For having a connection: name, TCP and TLS.
    pub connect: Duration,
    /// For the whole exchange, the answer's body included.
    pub total: Duration,
    /// How many bytes of the answer's body are read before the connection is dropped.
    pub body_bytes: usize,
    /// How long an unused connection is kept. Less than the 5 s after which Node.js, the most
    /// impatient of common servers, closes it from its side.
    pub idle: Duration,
    /// How many unused connections are kept to one origin.
    pub idle_per_origin: usize,
    /// To how many origins unused connections are kept. With many receivers, the rest pay for a
    /// connection each time rather than we for sockets without bound.
    pub kept_origins: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            dns: Duration::from_secs(2),
            connect: Duration::from_secs(3),
            total: Duration::from_secs(10),
            body_bytes: 8 * 1024,
            idle: Duration::from_secs(4),
            idle_per_origin: 16,
            kept_origins: 16,
        }
    }
}
