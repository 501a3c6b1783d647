//! Limits on what a receiver may cost.

use std::time::Duration;

/// Limits on every webhook that a client sends. [`Limits::default`] is deployed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time limit for a name lookup, part of `connect`.
    pub dns: Duration,
    /// Time limit for connecting: name, TCP and TLS.
    pub connect: Duration,
    /// Time limit for the whole exchange, the answer's body included.
    pub total: Duration,
    /// Maximum number of body bytes to read before the connection is dropped.
    pub body_bytes: usize,
    /// Time that an unused connection is kept. Less than the 5 s after which Node.js, the most
    /// impatient of common servers, closes it.
    pub idle: Duration,
    /// Maximum number of unused connections to one origin.
    pub idle_per_origin: usize,
    /// Maximum number of origins whose unused connections are kept. With more receivers, the others
    /// need a new connection each time, and this process never holds sockets without limit.
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
