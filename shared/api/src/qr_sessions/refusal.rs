//! Why nothing came of a request, as the caller is told.

use countersign_domain::login::Status;
use countersign_domain::login::payload::{MAX_BYTES, PayloadError};
use countersign_domain::use_cases::logins::{
    CancelError, ConfirmError, CreateError, DenyError, InitiateError, RedeemError, WatchError,
};

use crate::call::sentence;
use crate::problem::{Problem, ProblemCode};

/// Whoever does not prove to belong to a session is told this, whether there is one or not.
pub(super) fn unknown() -> Problem {
    Problem::new(ProblemCode::SessionNotFound)
}

fn expired() -> Problem {
    Problem::new(ProblemCode::SessionExpired)
}

pub(super) fn of_create(error: CreateError) -> Problem {
    match error {
        CreateError::OriginNotAllowed => Problem::new(ProblemCode::OriginNotAllowed)
            .detail("Sessions are opened by pages whose origin the app lists."),
        CreateError::NoLinkHost => {
            Problem::new(ProblemCode::LinkHostMissing).detail("Give the app the host of its links.")
        }
        CreateError::KeyRequired => Problem::new(ProblemCode::FieldMissing)
            .detail("The app takes encrypted payloads alone: send the key to encrypt for.")
            .at("/browserPublicKey"),
        CreateError::QuotaExceeded(exceeded) => exceeded.into(),
        CreateError::Unavailable(cause) => cause.into(),
    }
}

pub(super) fn of_watch(error: WatchError) -> Problem {
    match error {
        WatchError::Unknown => unknown(),
        WatchError::Unavailable(cause) => cause.into(),
    }
}

pub(super) fn of_redeem(error: RedeemError) -> Problem {
    match error {
        RedeemError::Unknown => unknown(),
        RedeemError::NotConfirmed(status) => is(status),
        RedeemError::Expired => expired(),
        RedeemError::Unavailable(cause) => cause.into(),
    }
}

pub(super) fn of_cancel(error: CancelError) -> Problem {
    match error {
        CancelError::Unknown => unknown(),
        CancelError::Ended(status) => is(status),
        CancelError::Expired => expired(),
        CancelError::Unavailable(cause) => cause.into(),
    }
}

pub(super) fn of_initiate(error: InitiateError) -> Problem {
    match error {
        InitiateError::Unknown => unknown(),
        InitiateError::SecondPhone => Problem::new(ProblemCode::SecondPhone)
            .detail("Nobody can confirm the session any more. Let the page show a new code."),
        // How it ended is for those who took part. This phone may be anybody's who saw the code.
        InitiateError::Ended(_) => Problem::new(ProblemCode::SessionEnded),
        InitiateError::Expired => expired(),
        InitiateError::Unavailable(cause) => cause.into(),
    }
}

pub(super) fn of_confirm(error: ConfirmError, encrypted: bool) -> Problem {
    match error {
        ConfirmError::Unknown => unknown(),
        ConfirmError::Forbidden => Problem::new(ProblemCode::RiskDenied),
        ConfirmError::Unsuitable => Problem::new(ProblemCode::PayloadUnsuitable)
            .detail(if encrypted {
                "The browser gave no key, so that nobody could open it: send it as it is."
            } else {
                "The app takes encrypted payloads alone: encrypt it for the browser's key."
            })
            .at("/payload"),
        ConfirmError::Ended(status) => is(status),
        ConfirmError::Expired => expired(),
        ConfirmError::Unavailable(cause) => cause.into(),
    }
}

pub(super) fn of_deny(error: DenyError) -> Problem {
    match error {
        DenyError::Unknown => unknown(),
        DenyError::Ended(status) => is(status),
        DenyError::Expired => expired(),
        DenyError::Unavailable(cause) => cause.into(),
    }
}

/// The session's state does not allow it.
fn is(status: Status) -> Problem {
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

pub(super) fn of_payload(error: PayloadError) -> Problem {
    let problem = match error {
        PayloadError::TooLong => Problem::new(ProblemCode::PayloadTooLong)
            .detail(format!("Send at most {MAX_BYTES} bytes.")),
        PayloadError::NotSealed => {
            Problem::new(ProblemCode::PayloadNotSealed).detail(sentence(&error))
        }
    };
    problem.at("/payload")
}
