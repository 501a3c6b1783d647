//! The providers, and what they have in common.

use countersign_domain::confirmation::text::InboundMessage;
use countersign_domain::primitives::canonical_json::{CanonicalError, Members};
use countersign_domain::primitives::time::Timestamp;
use http::HeaderMap;
use thiserror::Error;

use crate::generic::{self, InboundSecret};

/// Who may bring texts: the last segment of the route `POST /inbound-sms/{provider}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provider {
    /// Anybody who signs JSON by the Standard Webhooks scheme: see [`generic`].
    Generic,
}

impl Provider {
    /// Every provider.
    pub const ALL: [Self; 1] = [Self::Generic];

    /// The name in the route.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generic => generic::NAME,
        }
    }
}

/// A provider's call, as far as its authenticity depends on it.
#[derive(Clone, Copy)]
pub struct InboundRequest<'a> {
    /// The headers.
    pub headers: &'a HeaderMap,
    /// The body, byte for byte as it came.
    pub body: &'a [u8],
}

/// What each provider's calls are authenticated with. A provider without one is not served.
#[derive(Clone, Debug, Default)]
pub struct InboundSecrets {
    /// The secret of [`Provider::Generic`].
    pub generic: Option<InboundSecret>,
}

impl InboundSecrets {
    /// Authenticates a provider's call and reads the text that it brings.
    pub fn authenticate_and_parse(
        &self,
        provider: Provider,
        request: InboundRequest<'_>,
        now: Timestamp,
    ) -> Result<InboundMessage, InboundError> {
        match provider {
            Provider::Generic => {
                let secret = self.generic.as_ref().ok_or(InboundError::NotConfigured)?;
                generic::authenticate_and_parse(secret, request.headers, request.body, now)
            }
        }
    }
}

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

/// A text's member that may be left out or be `null`.
pub(crate) fn optional_text(
    members: &Members<'_>,
    name: &'static str,
) -> Result<Option<String>, MalformedText> {
    match members.text(name) {
        Ok(text) => Ok(text.map(std::borrow::Cow::into_owned)),
        Err(CanonicalError::NotAString { .. }) => Err(MalformedText::NotAString(name)),
        Err(error) => Err(MalformedText::Json(error)),
    }
}

/// A text's member that must be there.
pub(crate) fn required_text(
    members: &Members<'_>,
    name: &'static str,
) -> Result<String, MalformedText> {
    optional_text(members, name)?.ok_or(MalformedText::Missing(name))
}
