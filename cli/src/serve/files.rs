//! How many files, sockets included, the process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::browser_socket::MAX_OPEN;

/// What the server may come to need: its connections, the sockets of browsers, the webhooks under
/// way, and some.
const ENOUGH: u64 = 8192;

/// Raises the process's own limit as far as the system lets it. The usual limit of 1,024 is there
/// for programs that cannot cope with more (`select`); one that can is expected to raise it.
///
/// Returns the limit that holds then, if there is one.
pub(super) fn raise_limit() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: maximum,
        maximum,
    };
    let limit = if current == maximum || setrlimit(Resource::Nofile, raised).is_ok() {
        maximum
    } else {
        current
    };
    if let Some(limit) = limit.filter(|limit| *limit < ENOUGH) {
        tracing::warn!(
            limit,
            "the system lets the server open few files; under load webhooks may fail for want of \
             them (ulimit -n)"
        );
    }
    limit
}

/// How the files are shared out. What is left is for webhooks and the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    /// How many connections there may be.
    pub(super) connections: usize,
    /// How many sockets of browsers: each gave its connection's place back, and keeps its file.
    pub(super) sockets: usize,
}

impl Shares {
    pub(super) fn of(limit: Option<u64>, connections: usize) -> Self {
        let connections = self::connections(limit, connections);
        Self {
            connections,
            sockets: sockets(limit, connections, MAX_OPEN),
        }
    }
}

/// How many of `wanted` connections there are files for: at most half of those that may be open,
/// since a server without files could not accept a connection even to refuse it.
fn connections(limit: Option<u64>, wanted: usize) -> usize {
    let half = limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit / 2).unwrap_or(usize::MAX)
    });
    if wanted > half {
        tracing::warn!(
            wanted,
            connections = half,
            "the system lets the server open too few files for so many connections (ulimit -n)"
        );
    }
    wanted.min(half)
}

/// How many of `wanted` sockets of browsers there are files for: at most half of those that
/// `connections` leave, so that as many are there for webhooks and the store.
fn sockets(limit: Option<u64>, connections: usize, wanted: usize) -> usize {
    let left = limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit)
            .unwrap_or(usize::MAX)
            .saturating_sub(connections)
    });
    wanted.min(left / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_half_of_the_files() {
        assert_eq!(connections(Some(1024), 1024), 512);
        assert_eq!(connections(Some(8192), 1024), 1024);
        assert_eq!(connections(None, 1024), 1024);
    }
    #[test]
    fn sockets_leave_files_for_webhooks() {
        assert_eq!(sockets(Some(1024), 512, 4096), 256);
        assert_eq!(sockets(Some(4096), 1024, 4096), 1536);
        assert_eq!(sockets(Some(65_536), 1024, 4096), 4096);
        assert_eq!(sockets(None, 1024, 4096), 4096);
        for limit in 0..4096 {
            let shares = Shares::of(Some(limit), 1024);
            let limit = usize::try_from(limit).unwrap();
            let taken = shares.connections + shares.sockets;
            assert!(taken <= limit - limit / 4, "{limit}: {shares:?}");
        }
    }
}
