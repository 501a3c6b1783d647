//! Bounds on the connections of a listener.

use std::time::Duration;

/// Bounds on the connections of one listener.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Connections that may be open at once.
    pub(crate) connections: usize,
    /// How many of them may be of one address: an IPv4 address, or a /64 of IPv6.
    pub(crate) per_address: usize,
    /// How many of them may be of one site: a /48 of IPv6.
    pub(crate) per_site: usize,
    /// Time for the head of a request to arrive; also how long a connection may be idle.
    pub(crate) head: Duration,
    /// Time from the arrival of a request's head to the head of its answer. The body, whose pace
    /// the caller decides, arrives within it.
    pub(crate) answer: Duration,
    /// Time that a client may take nothing while bytes of an answer wait for it.
    pub(crate) write_stall: Duration,
    /// Time that a client has, however steadily it reads, until no bytes wait for it.
    pub(crate) write: Duration,
    /// Bytes of a connection that are buffered at most; also the longest head.
    pub(crate) buffer: usize,
    /// Time for requests under way to end once the server stops.
    pub(crate) farewell: Duration,
}

impl Limits {
    /// Returns the limits of the port that callers reach: so many connections, and a quarter of them
    /// for one address unless another share is named.
    pub(crate) fn public(connections: usize, per_address: Option<usize>) -> Self {
        let per_address = per_address.unwrap_or_else(|| connections.div_ceil(4));
        Self {
            connections,
            per_address,
            per_site: per_address.saturating_mul(2),
            head: Duration::from_secs(15),
            answer: Duration::from_secs(30),
            write_stall: Duration::from_secs(15),
            write: Duration::from_mins(2),
            buffer: 64 << 10,
            farewell: Duration::from_secs(4),
        }
    }

    /// Returns the limits of the admin socket, which its owner alone reaches.
    pub(crate) fn admin() -> Self {
        Self::public(16, Some(16))
    }
}
