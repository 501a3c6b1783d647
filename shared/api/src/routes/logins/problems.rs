//! Problems that several routes of logins share.

use countersign_domain::login::Status;

use crate::problem::{Problem, ProblemCode};

/// Problems of a request about a login.
pub(super) const PROBLEMS: &[ProblemCode] = &[ProblemCode::SessionNotFound];

/// Problems of a request that a login's end prevents.
pub(super) const ENDED: &[ProblemCode] = &[
    ProblemCode::SessionConsumed,
    ProblemCode::SessionDenied,
    ProblemCode::SessionBlocked,
    ProblemCode::SessionCancelled,
    ProblemCode::SessionExpired,
];

/// Returns the answer for callers who cannot prove that a login is theirs, whether or not it exists.
pub(super) fn not_found() -> Problem {
    Problem::new(ProblemCode::SessionNotFound)
}

/// Returns the problem of a login that has expired.
pub(super) fn expired() -> Problem {
    Problem::new(ProblemCode::SessionExpired)
}

/// Returns the problem of a login whose status does not allow the request.
pub(super) fn wrong_status(status: Status) -> Problem {
    Problem::new(match status {
        Status::Created | Status::Scanned => ProblemCode::SessionNotConfirmed,
        Status::Confirmed => ProblemCode::SessionConfirmed,
        Status::Consumed => ProblemCode::SessionConsumed,
        Status::Denied => ProblemCode::SessionDenied,
        Status::Blocked => ProblemCode::SessionBlocked,
        Status::Cancelled => ProblemCode::SessionCancelled,
        Status::Expired => ProblemCode::SessionExpired,
    })
}
