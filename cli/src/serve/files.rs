//! Limits on open files, including sockets.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::browser_socket::MAX_OPEN;

/// Number of files that the server may need: connections, the browsers' sockets, webhooks in
/// flight, and a reserve.
const MIN_OPEN_FILES: u64 = 8192;

/// Raises the process's limit on open files as far as the system allows. The default limit of 1,024
/// protects programs that cannot handle more (`select`); other programs are expected to raise it.
///
/// Returns the resulting limit, if there is one.
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
    if let Some(limit) = limit.filter(|limit| *limit < MIN_OPEN_FILES) {
        tracing::warn!(
            limit,
            "the limit on open files is low; webhooks may fail under load (ulimit -n)"
        );
    }
    limit
}

/// The shares of the open files. The rest is for webhooks and the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    /// Maximum number of connections.
    pub(super) connections: usize,
    /// Maximum number of browsers' sockets. Each socket releases its connection's permit but keeps
    /// its file.
    pub(super) sockets: usize,
}

impl Shares {
    pub(super) fn new(limit: Option<u64>, connections: usize) -> Self {
        let connections = self::connections(limit, connections);
        Self {
            connections,
            sockets: sockets(limit, connections, MAX_OPEN),
        }
    }
}

/// Returns how many of the `wanted` connections fit: at most half of all files, because a server
/// without a free file cannot even refuse a connection.
fn connections(limit: Option<u64>, wanted: usize) -> usize {
    let half = limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit / 2).unwrap_or(usize::MAX)
    });
    if wanted > half {
        tracing::warn!(
            wanted,
            connections = half,
            "the limit on open files is too low for this many connections (ulimit -n)"
        );
    }
    wanted.min(half)
}

/// Returns how many of the `wanted` sockets fit: at most half of the files that `connections`
/// leave, so that webhooks and the store get the other half.
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
    fn connections_leave_half_of_the_files_free() {
        assert_eq!(connections(Some(1024), 1024), 512);
        assert_eq!(connections(Some(8192), 1024), 1024);
        assert_eq!(connections(None, 1024), 1024);
    }
    #[test]
    fn sockets_leave_files_for_webhooks_free() {
        assert_eq!(sockets(Some(1024), 512, 4096), 256);
        assert_eq!(sockets(Some(4096), 1024, 4096), 1536);
        assert_eq!(sockets(Some(65_536), 1024, 4096), 4096);
        assert_eq!(sockets(None, 1024, 4096), 4096);
        for limit in 0..4096 {
            let shares = Shares::new(Some(limit), 1024);
            let limit = usize::try_from(limit).unwrap();
            let taken = shares.connections + shares.sockets;
            assert!(taken <= limit - limit / 4, "{limit}: {shares:?}");
        }
    }
}
