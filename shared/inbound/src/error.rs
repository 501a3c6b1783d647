//! Why a provider's call is refused.

use countersign_domain::primitives::canonical_json::CanonicalError;
use thiserror::Error;

/// Why a provider's call is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InboundError {
    #[error("the provider is not configured")]
    NotConfigured,
    /// The provider never uses this method.
    #[error("the provider does not use this method")]
    Method,
    /// The body is larger than any that the provider sends.
    #[error("the body is too large")]
    TooLarge,
    /// The call was not made by the provider. The caller is not told which check failed.
    #[error("the call is not authentic")]
    NotAuthentic,
    /// The call has no credential at all, and the provider repeats it with one if the answer asks for it.
    #[error("the call is not signed")]
    Unsigned,
    /// The call was made by the provider, but its timestamp is too far from the current time: a
    /// replay, or a wrong clock.
    #[error("the call is authentic, but its timestamp is too far from now")]
    TooOld,
    /// The certificate for checking the call could not be fetched.
    #[error("the provider's certificate is unavailable")]
    CertificateUnavailable,
    /// The call was made by the provider, but is malformed.
    #[error("the call is authentic, but malformed: {0}")]
    Malformed(#[from] MalformedText),
}

impl InboundError {
    /// Returns the status code that refuses the call: 429 if calling again helps. Unauthenticated callers can cause
    /// each of these errors, so none is a 5xx, which would count as an error of the service.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::NotConfigured => 404,
            Self::Method => 405,
            Self::TooLarge => 413,
            Self::NotAuthentic | Self::TooOld => 401,
            Self::Malformed(_) => 400,
            Self::Unsigned | Self::CertificateUnavailable => 429,
        }
    }

    /// Returns a stable name for operators.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotConfigured => "not_configured",
            Self::Method => "method",
            Self::TooLarge => "too_large",
            Self::NotAuthentic => "not_authentic",
            Self::Unsigned => "unsigned",
            Self::TooOld => "too_old",
            Self::CertificateUnavailable => "certificate_unavailable",
            Self::Malformed(_) => "malformed",
        }
    }
}

/// Error in an authentic call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MalformedText {
    #[error("the body is not a JSON object: {0}")]
    Json(CanonicalError),
    /// The body is not JSON in the provider's documented format.
    #[error("the body does not match the documented format at line {line}, column {column}")]
    Shape {
        /// Line, starting at 1.
        line: usize,
        /// Column, starting at 0.
        column: usize,
    },
    /// The body is neither a form nor JSON.
    #[error("the media type is not one that the provider sends")]
    MediaType,
    #[error("the call has too many parameters or texts")]
    TooMany,
    /// A required member is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A parameter occurs more than once.
    #[error("`{0}` occurs more than once")]
    Repeated(&'static str),
    /// A member is not a string.
    #[error("`{0}` must be a string")]
    NotAString(&'static str),
    /// A member has an invalid value.
    #[error("`{0}` is not valid")]
    Invalid(&'static str),
}
