//! The providers, and what they have in common.

use countersign_domain::confirmation::text::InboundMessage;
use countersign_domain::primitives::time::Timestamp;
use http::HeaderMap;

use crate::error::InboundError;
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
