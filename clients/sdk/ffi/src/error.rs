//! Why an operation failed.

use countersign_sdk as core;
use thiserror::Error;

/// What the service answered to a request that it refused.
#[derive(Clone, Debug, uniffi::Record)]
pub struct ServiceProblem {
    /// The status code.
    pub status: u16,
    /// The stable code.
    pub code: String,
    /// What happened.
    pub title: String,
    /// What to change.
    pub detail: Option<String>,
}

/// Why a text is not a link that the app opens.
#[derive(Clone, Copy, Debug, uniffi::Enum)]
pub enum InvalidLinkReason {
    /// The text is not the link to a login.
    Malformed,
    /// The link has no `sessionId`.
    SessionIdMissing,
    /// The link's host is not one of the app's.
    HostNotAllowed,
}

/// Why an operation failed: the variants of the core's `SdkError`.
#[derive(Debug, Error, uniffi::Error)]
#[error("{self:?}")]
#[expect(missing_docs, reason = "the core's SdkError describes them")]
pub enum SdkError {
    Network { detail: String },
    Problem { problem: ServiceProblem },
    MalformedAnswer { detail: String },
    Expired { problem: Option<ServiceProblem> },
    Blocked { problem: ServiceProblem },
    Ended { problem: ServiceProblem },
    NotFound { problem: ServiceProblem },
    RiskDenied { problem: ServiceProblem },
    ProofRequired { problem: ServiceProblem },
    KeyMismatch { detail: String },
    AlreadyAnswered { confirmed: bool },
    ContextUnsupported,
    PlainRefused,
    InvalidLink { reason: InvalidLinkReason },
    InvalidAppKey,
    InvalidSessionId,
    InvalidPublicUserId,
    PayloadTooLong,
    UnusableBrowserKey,
    ProofTooLong,
    UnknownKey,
    ReservedData,
    UserAuthenticationRequired,
    KeyStoreFailed { detail: String },
    StorageFailed { detail: String },
    Cancelled,
    Internal { detail: String },
}

impl From<core::ServiceProblem> for ServiceProblem {
    fn from(problem: core::ServiceProblem) -> Self {
        Self {
            status: problem.status,
            code: problem.code,
            title: problem.title,
            detail: problem.detail,
        }
    }
}

impl From<core::InvalidLink> for InvalidLinkReason {
    fn from(error: core::InvalidLink) -> Self {
        match error {
            core::InvalidLink::Malformed(_) => Self::Malformed,
            core::InvalidLink::SessionIdMissing => Self::SessionIdMissing,
            core::InvalidLink::HostNotAllowed => Self::HostNotAllowed,
        }
    }
}

impl From<core::SdkError> for SdkError {
    fn from(error: core::SdkError) -> Self {
        use core::SdkError as Core;

        let detail = error.to_string();
        match error {
            Core::Network { .. } => Self::Network { detail },
            Core::Problem(problem) => Self::Problem {
                problem: problem.into(),
            },
            Core::MalformedAnswer(_) => Self::MalformedAnswer { detail },
            Core::Expired(problem) => Self::Expired {
                problem: problem.map(Into::into),
            },
            Core::Blocked(problem) => Self::Blocked {
                problem: problem.into(),
            },
            Core::Ended(problem) => Self::Ended {
                problem: problem.into(),
            },
            Core::NotFound(problem) => Self::NotFound {
                problem: problem.into(),
            },
            Core::RiskDenied(problem) => Self::RiskDenied {
                problem: problem.into(),
            },
            Core::ProofRequired(problem) => Self::ProofRequired {
                problem: problem.into(),
            },
            Core::KeyMismatch(_) => Self::KeyMismatch { detail },
            Core::AlreadyAnswered(decision) => Self::AlreadyAnswered {
                confirmed: decision == core::Decision::Confirm,
            },
            Core::ContextUnsupported => Self::ContextUnsupported,
            Core::PlainRefused => Self::PlainRefused,
            Core::InvalidLink(reason) => Self::InvalidLink {
                reason: reason.into(),
            },
            Core::InvalidAppKey => Self::InvalidAppKey,
            Core::InvalidSessionId => Self::InvalidSessionId,
            Core::InvalidPublicUserId => Self::InvalidPublicUserId,
            Core::PayloadTooLong => Self::PayloadTooLong,
            Core::UnusableBrowserKey => Self::UnusableBrowserKey,
            Core::ProofTooLong => Self::ProofTooLong,
            Core::UnknownKey => Self::UnknownKey,
            Core::ReservedData => Self::ReservedData,
            Core::UserAuthenticationRequired => Self::UserAuthenticationRequired,
            Core::KeyStoreFailed { .. } => Self::KeyStoreFailed { detail },
            Core::StorageFailed { .. } => Self::StorageFailed { detail },
            Core::Cancelled => Self::Cancelled,
            Core::Internal { .. } => Self::Internal { detail },
        }
    }
}
