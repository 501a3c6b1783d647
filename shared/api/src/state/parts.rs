//! The parts that a host builds the API from.

use std::sync::Arc;

use countersign_domain::delivery::queue::DeliveryQueue;
use countersign_domain::delivery::signing::Signer;
use countersign_domain::event::Metrics;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::storage::StorageHealth;
use countersign_domain::primitives::time::Clock;
use countersign_domain::store::Store;
use countersign_domain::use_cases::Times;
use countersign_domain::web::callback_url::CallbackPolicy;

use super::inbound::InboundParts;
use super::logins::Logins;
use crate::rate_limit::RateLimits;

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
    /// The parts for logins. Where it is `None`, their routes return 404.
    pub logins: Option<Logins>,
    /// Limits that this process counts: enforced or not.
    pub rate_limits: RateLimits,
}
