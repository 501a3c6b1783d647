//! The providers and their common interface.

use countersign_domain::confirmation::text::InboundMessage;
use countersign_domain::primitives::time::Timestamp;
use http::HeaderMap;

use crate::error::InboundError;
use crate::generic::{self, InboundSecret};

/// A provider, named by the last segment of the route `POST /inbound-sms/{provider}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provider {
    /// Any sender that signs JSON by the Standard Webhooks scheme: see [`generic`].
    Generic,
}

impl Provider {
    /// Every provider.
    pub const ALL: [Self; 1] = [Self::Generic];

    /// Returns the provider's name in the route.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generic => generic::NAME,
        }
    }
}

/// The parts of a provider's call that are authenticated.
#[derive(Clone, Copy)]
pub struct InboundRequest<'a> {
    /// The request's headers.
    pub headers: &'a HeaderMap,
    /// The raw body.
    pub body: &'a [u8],
}

/// The secrets that authenticate each provider's calls. A provider without one is not served.
#[derive(Clone, Debug, Default)]
pub struct InboundSecrets {
    /// The secret of [`Provider::Generic`].
    pub generic: Option<InboundSecret>,
}

impl InboundSecrets {
    /// Authenticates a provider's call and parses the text that it brings.
    ///
    /// # Errors
    ///
    /// Fails if the provider is not configured, or the call is not authentic, too old or malformed.
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
