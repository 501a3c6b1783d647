//! The parts that a host builds the API from.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::delivery::queue::DeliveryQueue;
use countersign_domain::delivery::signing::Signer;
use countersign_domain::event::Metrics;
use countersign_domain::login::sighting::GeoIp;
use countersign_domain::openid::secret::OpenIdSecret;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::push::Push;
use countersign_domain::primitives::storage::StorageHealth;
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Store;
use countersign_domain::use_cases::Times;
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_inbound::{Providers, RecentCalls, SubscribeUrl};
use futures_util::future::BoxFuture;

use crate::rate_limit::RateLimits;
use crate::viewer::ViewerPolicy;

/// The parts that a host builds the API from.
pub struct ApiParts {
    /// The store of confirmations, logins, apps and all other documents.
    pub store: Arc<Store>,
    /// Reports whether the store accepts writes.
    pub storage: Arc<dyn StorageHealth>,
    /// The queue that wakes the dispatcher.
    pub queue: Arc<dyn DeliveryQueue>,
    /// The signer whose public keys are published.
    pub signer: Arc<dyn Signer>,
    pub clock: Arc<dyn Clock>,
    /// The source of random bytes for codes, tokens and request ids.
    pub entropy: Arc<dyn Entropy>,
    /// The event counters.
    pub metrics: Arc<dyn Metrics>,
    /// The validity and retention of confirmations.
    pub times: Times,
    /// Which callback URLs are accepted.
    pub callback_policy: CallbackPolicy,
    /// The parts for texts from providers.
    pub inbound: InboundParts,
    /// How the pages of callers reach this service; `None` on hosts that start no confirmations.
    pub client_channel: Option<ClientChannel>,
    /// The parts for logins. If this is `None`, their routes return 404.
    pub logins: Option<Logins>,
    /// The parts for the `OpenID` provider. If this is `None`, its routes return 404.
    pub openid: Option<OpenIdParts>,
    /// Whether this process enforces its rate limits.
    pub rate_limits: RateLimits,
}

/// The parts for the `OpenID` provider.
#[derive(Clone)]
pub struct OpenIdParts {
    /// The service's public URL, without a trailing slash.
    pub issuer: String,
    /// Signs ID tokens. Its keys MUST sign nothing else: receivers of webhooks accept each key that signs webhooks.
    pub signer: Arc<dyn Signer>,
    pub secret: Arc<OpenIdSecret>,
}

impl OpenIdParts {
    /// Returns whether browsers reach the service over https.
    pub(crate) fn is_secure(&self) -> bool {
        self.issuer.starts_with("https:")
    }
}

/// Shows only the issuer: ports have no text form, and secrets must not be shown.
impl fmt::Debug for OpenIdParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenIdParts")
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

/// The addresses at which a page watches its confirmation.
#[derive(Clone, Debug)]
pub struct ClientChannel {
    /// The service's origin, without a trailing slash.
    pub service_url: String,
    /// The URL of the WebSocket, as in [`Logins`].
    pub socket_url: String,
}

/// The enabled providers, which may change while a process runs.
#[async_trait]
pub trait ProviderSource: Send + Sync {
    /// Returns the enabled providers, with settings that are at most five minutes old. If new
    /// settings cannot be read, implementations MUST return the last readable ones.
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

/// Confirms an SNS subscription that sends texts to this service.
pub type ConfirmSubscription =
    Arc<dyn Fn(SubscribeUrl) -> BoxFuture<'static, Result<(), Unavailable>> + Send + Sync>;

/// The parts for texts from providers.
#[derive(Clone)]
pub struct InboundParts {
    /// The enabled providers, with the secrets that authenticate them.
    pub providers: Arc<dyn ProviderSource>,
    /// Confirms an SNS subscription, at a public address and over verified TLS. If this is `None`, calls that require
    /// it get a 503.
    pub confirm_subscription: Option<ConfirmSubscription>,
    /// Notifies the page of a confirmation that a text missed it. If this is `None`, pages poll.
    pub pages: Option<Arc<dyn Push>>,
    /// Remembers the last calls for operators. `None` in processes that no operator can ask.
    pub calls: Option<Arc<RecentCalls>>,
}

impl InboundParts {
    /// Creates the parts for providers that never change and never confirm subscriptions.
    #[must_use]
    pub fn fixed(providers: Providers) -> Self {
        Self {
            providers: Arc::new(providers),
            confirm_subscription: None,
            pages: None,
            calls: None,
        }
    }

    /// Returns the maximum size of a body for this path, in bytes; `None` unless the path is that
    /// of an enabled provider.
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

/// The parts for logins by QR code or app link. Store, queue, clock, entropy and counters are in
/// [`ApiParts`].
#[derive(Clone)]
pub struct Logins {
    /// Notifies browsers and phones that their login changed.
    pub push: Arc<dyn Push>,
    /// Locates addresses for which no proxy sent a place.
    pub geo: Arc<dyn GeoIp>,
    /// The WebSocket that browsers and phones subscribe to: a full `wss:` URL (`ws:` on the developer's own
    /// machine), returned as `socketUrl`.
    pub socket_url: String,
    /// Which proxies are trusted to report where a request came from.
    pub viewers: ViewerPolicy,
}

/// Shows all fields except the ports, which have no text form.
impl fmt::Debug for Logins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logins")
            .field("socket_url", &self.socket_url)
            .field("viewers", &self.viewers)
            .finish_non_exhaustive()
    }
}
