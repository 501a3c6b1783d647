//! Why an operation of the SDK failed.

mod problem;
mod words;

use countersign_domain::login::ReturnLink;
use countersign_domain::login::identity::IdentityError;
use countersign_domain::login::link::LinkError;
use thiserror::Error;

use crate::decision::Decision;
use crate::ports::StoreError;
use crate::ports::keys::KeyError;

pub use problem::ServiceProblem;

/// Why an operation of the SDK failed. [`code`](Self::code) is stable, and
/// [`message`](Self::message) is for users; `Display` is for logs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Error))]
pub enum SdkError {
    /// The service was not reached, or did not answer in time. Try again: the login continues where
    /// it was.
    #[error("{detail}")]
    Network {
        /// The cause, for logs.
        detail: String,
    },
    /// The service refused the request, for a reason without its own variant.
    #[error("{0}")]
    Problem(ServiceProblem),
    /// The answer is not from a Countersign service.
    #[error("the service answered {0}")]
    MalformedAnswer(AnswerFault),
    /// The login has expired. `None` if only the phone's clock shows the expiry, not the service.
    #[error("the login has expired")]
    Expired(Option<ServiceProblem>),
    /// The login is blocked: another phone opened the code, or the service refused it because of
    /// the risk.
    #[error("the login is blocked: {0}")]
    Blocked(ServiceProblem),
    /// The login ended in another way: it was already confirmed, denied or cancelled.
    #[error("the login has ended: {0}")]
    Ended(ServiceProblem),
    /// The app has no such login, or it expired before it was opened.
    #[error("there is no such login: {0}")]
    NotFound(ServiceProblem),
    /// The risk is too high to confirm. The login is now blocked.
    #[error("the risk is too high: {0}")]
    RiskDenied(ServiceProblem),
    /// The login can only be confirmed with a proof, and the user has no key, or no registered key.
    #[error("the login needs a proof: {0}")]
    ProofRequired(ServiceProblem),
    /// The id does not match the service's answer about the login. Nothing was shown to the user,
    /// and the mismatch was reported to the service.
    #[error("{0}")]
    KeyMismatch(IdentityError),
    /// This phone has already answered the login with this decision, which is final. The user need
    /// not be asked again. If returned when a login is opened again, the service has the answer.
    #[error("this phone has answered the login already: {}", .decision.route())]
    AlreadyAnswered {
        /// The final decision.
        decision: Decision,
        /// The page to open in the phone's browser now, as after a confirmation:
        /// [`Session::return_url`](crate::Session::return_url).
        return_url: Option<ReturnLink>,
    },
    /// The login has a context, and the app's screen does not show contexts.
    #[error("the login has a context, which this app does not show")]
    ContextUnsupported,
    /// The login's browser has no key (`qrp_`), and the app does not accept such logins.
    #[error("the login's browser has no key, and this app does not accept such logins")]
    PlainRefused,
    /// The text is not a link that the app opens.
    #[error("{0}")]
    InvalidLink(InvalidLinkReason),
    /// The app key is malformed.
    #[error("the app key is malformed")]
    InvalidAppKey,
    /// The session id is malformed.
    #[error("the session id is malformed")]
    InvalidSessionId,
    /// The public user id is malformed.
    #[error("a public user id is 1 to 256 characters without control characters")]
    InvalidPublicUserId,
    /// The payload does not fit into a request.
    #[error("the payload is too long")]
    PayloadTooLong,
    /// The browser's key is not a point on its curve, so nothing can be encrypted for it.
    #[error("the browser's key is not a point of the curve P-256")]
    UnusableBrowserKey,
    /// The proof would be too long, because user id and origin are.
    #[error("the proof would be too long: the user id and the origin are too long")]
    ProofTooLong,
    /// The phone has no association key for this user.
    #[error("there is no association key of this user")]
    UnknownKey,
    /// The data has the form of a login proof, which only a confirmation may sign.
    #[error("refusing to sign: the data has the form of a login proof")]
    ReservedData,
    /// The association key can only be used after the user has unlocked it. Ask the user to unlock
    /// it, and try again.
    #[error("the association key can only be used after the user has unlocked it")]
    UserAuthenticationRequired,
    /// The platform's key store failed.
    #[error("{detail}")]
    KeyStoreFailed {
        /// The cause, for logs.
        detail: String,
    },
    /// The platform's storage of secrets or answers failed.
    #[error("{detail}")]
    StorageFailed {
        /// The cause, for logs.
        detail: String,
    },
    /// The user closed the screen without a decision, and nothing was sent. Only screens return it,
    /// never the core.
    #[error("the user closed the screen without a decision")]
    Cancelled,
    /// An internal error of the SDK.
    #[error("internal error of the SDK: {detail}")]
    Internal {
        /// The cause, for logs.
        detail: String,
    },
}

/// Why a text is not a link that the app opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Enum))]
pub enum InvalidLinkReason {
    /// The text is not a login link.
    #[error("{0}")]
    Malformed(LinkError),
    /// The link has no `sessionId`. It may be a link to something else on the same host.
    #[error("the link has no sessionId")]
    SessionIdMissing,
    /// The app does not open links to this host.
    #[error("the link's host is not one of this app's")]
    HostNotAllowed,
}

/// Why an answer is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum AnswerFault {
    /// The answer is longer than any from such a service.
    #[error("more than a Countersign service sends")]
    TooLong,
    /// The answer to a decision is not `true`.
    #[error("something other than true")]
    NotTrue,
    /// The answer does not describe a login.
    #[error("something other than a login")]
    NotALogin,
    /// The answer's time differs from the phone's by more than a day.
    #[error(
        "a time that differs from this phone's by more than a day; one of the two clocks is wrong"
    )]
    WrongTime,
}

impl SdkError {
    /// The user has denied the login.
    pub(crate) const DENIED: Self = Self::AlreadyAnswered {
        decision: Decision::Deny,
        return_url: None,
    };

    /// Returns the service's problem, if it refused the request.
    #[must_use]
    pub const fn problem(&self) -> Option<&ServiceProblem> {
        match self {
            Self::Problem(problem)
            | Self::Blocked(problem)
            | Self::Ended(problem)
            | Self::NotFound(problem)
            | Self::RiskDenied(problem)
            | Self::ProofRequired(problem) => Some(problem),
            Self::Expired(problem) => problem.as_ref(),
            _ => None,
        }
    }

    /// Returns whether the login cannot continue on this phone.
    #[must_use]
    pub const fn ends_login(&self) -> bool {
        matches!(
            self,
            Self::Expired(_)
                | Self::Blocked(_)
                | Self::Ended(_)
                | Self::NotFound(_)
                | Self::RiskDenied(_)
                | Self::KeyMismatch(_)
        )
    }

    /// Returns whether the service refused the request permanently: a retry would be refused again.
    pub(crate) fn is_refusal(&self) -> bool {
        let problem = self.problem();
        problem.is_some_and(|problem| problem.status < 500 && problem.status != 429)
    }
}

impl From<LinkError> for InvalidLinkReason {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::SessionIdMissing => Self::SessionIdMissing,
            error => Self::Malformed(error),
        }
    }
}

impl From<KeyError> for SdkError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::Unknown => Self::UnknownKey,
            KeyError::UserAuthenticationRequired => Self::UserAuthenticationRequired,
            KeyError::Failed { detail } => Self::KeyStoreFailed { detail },
        }
    }
}

impl From<StoreError> for SdkError {
    fn from(StoreError::Failed { detail }: StoreError) -> Self {
        Self::StorageFailed { detail }
    }
}
