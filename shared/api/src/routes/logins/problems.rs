//! Problems that several routes of logins share.

use countersign_domain::login::{Refusal, Status};
use countersign_domain::use_cases::logins::LoginError;

use crate::problem::{Problem, ProblemCode};

/// Problems of a request about a login.
pub(super) const PROBLEMS: &[ProblemCode] = &[ProblemCode::SessionNotFound];

/// Problems of a request that is not possible after the login has ended.
pub(super) const ENDED_PROBLEMS: &[ProblemCode] = &[
    ProblemCode::SessionConsumed,
    ProblemCode::SessionDenied,
    ProblemCode::SessionBlocked,
    ProblemCode::SessionCancelled,
    ProblemCode::SessionExpired,
];

impl From<LoginError> for Problem {
    fn from(error: LoginError) -> Self {
        match error {
            LoginError::Refused(refusal) => refusal.into(),
            LoginError::Unavailable(cause) => cause.into(),
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unknown => Self::new(ProblemCode::SessionNotFound),
            Refusal::Expired => Self::new(ProblemCode::SessionExpired),
            Refusal::WrongStatus(status) => wrong_status(status),
            Refusal::Withdrawn => Self::new(ProblemCode::SessionCancelled)
                .detail("The app's settings have changed and no longer allow this session."),
            Refusal::Over => Self::new(ProblemCode::SessionEnded),
            Refusal::SecondPhone => Self::new(ProblemCode::SecondPhone)
                .detail("The login is blocked. Let the page show a new code."),
            Refusal::Different => Self::new(ProblemCode::SessionInitiatedDifferently)
                .detail("Repeat the request with the same publicUserId, or scan a new code."),
            Refusal::UserMismatch => Self::new(ProblemCode::UserMismatch)
                .detail("Open the code as the user whom it is for.")
                .at("/publicUserId"),
            Refusal::Forbidden => Self::new(ProblemCode::RiskDenied),
            Refusal::Encrypted => Self::new(ProblemCode::PayloadUnsuitable)
                .detail("The browser has no key, so it could not decrypt the payload: do not encrypt it.")
                .at("/payload"),
            Refusal::Readable => Self::new(ProblemCode::PayloadUnsuitable)
                .detail("The browser has a key: encrypt the payload for it.")
                .at("/payload"),
            Refusal::ProofRequired => Self::new(ProblemCode::ProofRequired)
                .detail(
                    "Sign what the person approved. If the app requires it, the key must be registered.",
                )
                .at("/proof"),
            Refusal::ProofInvalid => Self::new(ProblemCode::ProofInvalid)
                .detail(
                    "The key must be registered and not revoked, and the proof must agree with app, \
                     origin, session, payload and time.",
                )
                .at("/proof"),
            Refusal::ProofMismatch => Self::new(ProblemCode::ProofMismatch)
                .detail("Sign with a key of the user whom initiate named, or whom the app's server expects.")
                .at("/proof"),
            Refusal::Redeemed => Self::new(ProblemCode::SessionRedeemed),
            Refusal::CheckCodeRequired => Self::new(ProblemCode::CheckCodeRequired)
                .detail("Ask for the two digits that the phone shows, and send them as checkCode.")
                .at("/checkCode"),
            Refusal::ReturnTokenRequired => Self::new(ProblemCode::ReturnTokenRequired)
                .detail("The app has opened the page again: send the token in its address as returnToken.")
                .at("/returnToken"),
            Refusal::CheckCodeWrong { tries_left } => Self::new(ProblemCode::CheckCodeWrong)
                .detail(if tries_left == 1 {
                    "One more wrong code blocks the session."
                } else {
                    "Two more wrong codes block the session."
                })
                .at("/checkCode")
                .tries_left(tries_left),
            Refusal::CheckCodeBlocked => Self::new(ProblemCode::SessionBlocked)
                .detail("The check code was wrong three times. Open a new session."),
        }
    }
}

/// Returns the problem of a login whose status does not allow the request.
fn wrong_status(status: Status) -> Problem {
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
