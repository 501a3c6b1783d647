//! How many files, sockets included, the process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What the server may come to need: its connections, the sockets of browsers, the webhooks under
/// way, and some.
const ENOUGH: u64 = 8192;

/// Raises the process's own limit as far as the system lets it. The usual limit of 1,024 is there
/// for programs that cannot cope with more (`select`); one that can is expected to raise it.
pub(super) fn raise_limit() {
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
}
