//! Why a provider's call is refused.

use countersign_domain::primitives::canonical_json::CanonicalError;
use thiserror::Error;

/// Why a provider's call is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InboundError {
    /// The deployment has no secret for the provider.
    #[error("the provider is not configured")]
    NotConfigured,
    /// The call does not come from the provider. Which part of the proof failed stays secret.
    #[error("the call is not authentic")]
    NotAuthentic,
    /// The call comes from the provider, but its timestamp is too far from now: a replay, or a
    /// wrong clock.
    #[error("the call is authentic, but its timestamp is too far from now")]
    TooOld,
    /// The call comes from the provider, but is malformed.
    #[error("the call is authentic, but malformed: {0}")]
    Malformed(#[from] MalformedText),
}

/// What is malformed in an authentic call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MalformedText {
    /// The body is not a JSON object.
    #[error("the body is not a JSON object: {0}")]
    Json(CanonicalError),
    /// A required member is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A member is not a string.
    #[error("`{0}` must be a string")]
    NotAString(&'static str),
}
