//! Limits of a listener.

use std::time::Duration;

/// Limits on the connections of one listener.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Maximum number of open connections.
    pub(crate) connections: usize,
    /// Maximum number of connections per address: an IPv4 address, or an IPv6 /64.
    pub(crate) per_address: usize,
    /// Maximum number of connections per site: an IPv6 /48.
    pub(crate) per_site: usize,
    /// Minimum time that a connection has waited for a request before it can be closed in favor of
    /// another: a request may be on its way to one that was just opened or used.
    pub(crate) settled: Duration,
    /// Timeout for the head of a request; also the idle timeout of a connection.
    pub(crate) head: Duration,
    /// Timeout from the head of a request to the head of its answer. It includes receiving the
    /// request's body, at the caller's pace.
    pub(crate) answer: Duration,
    /// Timeout for a client that reads nothing while bytes of an answer are waiting for it.
    pub(crate) write_stall: Duration,
    /// Timeout for a client to read everything that is waiting for it, however steadily it reads.
    pub(crate) write: Duration,
    /// Maximum number of buffered bytes per connection; also the maximum size of a head.
    pub(crate) buffer: usize,
    /// Timeout at shutdown for requests in flight.
    pub(crate) shutdown_grace: Duration,
}

impl Limits {
    /// Returns the limits of the public port for this many connections. `per_address` defaults to a
    /// quarter of `connections`.
    pub(crate) fn public(connections: usize, per_address: Option<usize>) -> Self {
        let per_address = per_address.unwrap_or_else(|| connections.div_ceil(4));
        Self {
            connections,
            per_address,
            per_site: per_address.saturating_mul(2),
            settled: Duration::from_secs(1),
            head: Duration::from_secs(15),
            answer: Duration::from_secs(30),
            write_stall: Duration::from_secs(15),
            write: Duration::from_mins(2),
            buffer: 64 << 10,
            shutdown_grace: Duration::from_secs(4),
        }
    }

    /// Returns the limits of the admin socket and of the metrics port, which few programs use.
    pub(crate) fn admin() -> Self {
        Self::public(16, Some(16))
    }
}
