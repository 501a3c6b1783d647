//! The parts that a host builds the API from.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::delivery::queue::DeliveryQueue;
use countersign_domain::delivery::signing::Signer;
use countersign_domain::event::Metrics;
use countersign_domain::login::sighting::GeoIp;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::push::Push;
use countersign_domain::primitives::storage::StorageHealth;
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Store;
use countersign_domain::use_cases::Times;
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_inbound::{Providers, SubscribeUrl};
use futures_util::future::BoxFuture;

use crate::rate_limit::RateLimits;
use crate::viewer::ViewerPolicy;

/// The parts that a host builds the API from.
pub struct ApiParts {
    /// Confirmations, logins, apps and what else is kept.
    pub store: Arc<Store>,
    /// Reports if the store accepts writes.
    pub storage: Arc<dyn StorageHealth>,
    /// The queue that wakes the dispatcher.
    pub queue: Arc<dyn DeliveryQueue>,
    /// The signer whose public keys are published.
    pub signer: Arc<dyn Signer>,
    pub clock: Arc<dyn Clock>,
    /// The source of random bytes for codes, tokens and request ids.
    pub entropy: Arc<dyn Entropy>,
    /// The counters of events.
    pub metrics: Arc<dyn Metrics>,
    /// The validity of confirmations, and the time for which they are kept.
    pub times: Times,
    /// Which callback URLs are accepted.
    pub callback_policy: CallbackPolicy,
    /// The parts for texts from providers.
    pub inbound: InboundParts,
    /// Where the pages of callers reach this service; `None` where no confirmation is started.
    pub client_channel: Option<ClientChannel>,
    /// The parts for logins. Where it is `None`, their routes return 404.
    pub logins: Option<Logins>,
    /// Limits that this process counts: enforced or not.
    pub rate_limits: RateLimits,
}

/// The addresses that a page watches its confirmation at.
#[derive(Clone, Debug)]
pub struct ClientChannel {
    /// The service: an origin, without a slash at the end.
    pub service_url: String,
    /// The WebSocket, as in [`Logins`].
    pub socket_url: String,
}

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

/// Confirms that SNS is to send texts to us.
pub type ConfirmSubscription =
    Arc<dyn Fn(SubscribeUrl) -> BoxFuture<'static, Result<(), Unavailable>> + Send + Sync>;

/// The parts for texts from providers.
#[derive(Clone)]
pub struct InboundParts {
    /// The providers that are on, with the secrets that authenticate them.
    pub providers: Arc<dyn ProviderSource>,
    /// Confirms a subscription of SNS, at a public address and over verified TLS. Where it is `None`, calls that ask for it
    /// get a 503.
    pub confirm_subscription: Option<ConfirmSubscription>,
    /// Tells the page of a confirmation that a text missed it. Where it is `None`, pages ask.
    pub pages: Option<Arc<dyn Push>>,
}

impl InboundParts {
    /// Creates the parts for providers that never change, and confirm no subscriptions.
    #[must_use]
    pub fn fixed(providers: Providers) -> Self {
        Self {
            providers: Arc::new(providers),
            confirm_subscription: None,
            pages: None,
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

/// The parts for logins by QR code or app link. Store, queue, clock, entropy and counters are those
/// of [`ApiParts`].
#[derive(Clone)]
pub struct Logins {
    /// Tells browsers and phones that their login changed.
    pub push: Arc<dyn Push>,
    /// Locates addresses that no proxy located.
    pub geo: Arc<dyn GeoIp>,
    /// The WebSocket that browsers and phones subscribe to: a whole `wss:` URL (`ws:` on the developer's own
    /// machine), returned as `socketUrl`.
    pub socket_url: String,
    /// Which proxies are trusted about where a request came from.
    pub viewers: ViewerPolicy,
}

/// Shows everything but the ports, which have no text form.
impl fmt::Debug for Logins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logins")
            .field("socket_url", &self.socket_url)
            .field("viewers", &self.viewers)
            .finish_non_exhaustive()
    }
}
