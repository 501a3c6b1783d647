//! How many files, sockets included, the process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

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

/// How many of `wanted` connections there are files for: at most half of those that may be open,
/// since a server without files could not accept a connection even to refuse it.
pub(super) fn connections(limit: Option<u64>, wanted: usize) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_half_of_the_files() {
        assert_eq!(connections(Some(1024), 1024), 512);
        assert_eq!(connections(Some(8192), 1024), 1024);
        assert_eq!(connections(None, 1024), 1024);
    }
}
