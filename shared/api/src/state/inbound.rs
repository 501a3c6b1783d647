//! The parts for texts from providers.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_inbound::Providers;
use countersign_inbound::sns::Subscriber;

/// The providers that are on, which may change while a process runs.
#[async_trait]
pub trait ProviderSource: Send + Sync {
    /// Returns the providers that are on, with settings that are at most five minutes old. If new
    /// ones cannot be read, implementations MUST return the last ones that could.
    async fn current(&self) -> Arc<Providers>;
}

/// Providers that never change.
#[async_trait]
impl ProviderSource for Providers {
    async fn current(&self) -> Arc<Providers> {
        Arc::new(self.clone())
    }
}

/// Path before the name of a provider.
const PREFIX: &str = "/inbound-sms/";

/// The parts for texts from providers.
#[derive(Clone)]
pub struct InboundParts {
    /// The providers that are on, with the secrets that authenticate them.
    pub providers: Arc<dyn ProviderSource>,
    /// Confirms subscriptions. Where it is `None`, calls that ask for it get a 503.
    pub subscriber: Option<Arc<dyn Subscriber>>,
}

impl InboundParts {
    /// Creates the parts for providers that never change, and need no subscriber.
    #[must_use]
    pub fn fixed(providers: Providers) -> Self {
        Self {
            providers: Arc::new(providers),
            subscriber: None,
        }
    }

    /// Returns the maximum size of a body that is sent to this path, in bytes; `None` if it is not
    /// that of a provider that is on.
    pub(crate) async fn max_body(&self, path: &str) -> Option<usize> {
        let name = path.strip_prefix(PREFIX)?;
        let providers = self.providers.current().await;
        Some(providers.get(name)?.max_body())
    }
}

/// Shows no fields: ports have no text form, and secrets must not be shown.
impl fmt::Debug for InboundParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InboundParts").finish_non_exhaustive()
    }
}
