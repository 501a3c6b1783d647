//! Why a provider's call is refused.

use countersign_domain::primitives::canonical_json::CanonicalError;
use thiserror::Error;

/// Why a provider's call was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InboundError {
    /// This deployment has no secret for the provider.
    #[error("the provider is not configured")]
    NotConfigured,
    /// It does not come from the provider. Which part of the proof failed is nobody's business.
    #[error("the call is not authentic")]
    NotAuthentic,
    /// It comes from the provider, but its timestamp is too far from now: a replay, or a clock
    /// that is wrong.
    #[error("the call is authentic, but its timestamp is too far from now")]
    TooOld,
    /// It comes from the provider, and is not the text that was agreed on.
    #[error("the call is authentic, but malformed: {0}")]
    Malformed(#[from] MalformedText),
}

/// What is wrong with an authentic call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MalformedText {
    /// The body is no JSON object.
    #[error("the body is not a JSON object: {0}")]
    Json(CanonicalError),
    /// A member that must be there is not.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A member is there and is no string.
    #[error("`{0}` must be a string")]
    NotAString(&'static str),
}
