//! What every handler shares.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRef;
use countersign_domain::app::quota::{Allowance, Quota};
use countersign_domain::app::store::AppStore;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::delivery::queue::DeliveryQueue;
use countersign_domain::delivery::signing::Signer;
use countersign_domain::event::Metrics;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::storage::{StorageCondition, StorageHealth};
use countersign_domain::primitives::time::Clock;
use countersign_domain::use_cases::{Times, logins};
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_inbound::InboundSecrets;

use crate::logins::Logins;
use crate::problem::{Problem, ProblemCode};
use crate::rate_limit::{RateLimiter, RateLimits};

/// What a host puts behind the API.
pub struct ApiParts {
    /// Where confirmations are kept.
    pub confirmations: Arc<dyn ConfirmationStore>,
    /// Where apps and their keys are kept.
    pub apps: Arc<dyn AppStore>,
    /// Whether they take more.
    pub storage: Arc<dyn StorageHealth>,
    /// What wakes the dispatcher.
    pub queue: Arc<dyn DeliveryQueue>,
    /// Whose public keys are published.
    pub signer: Arc<dyn Signer>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Chance: for codes, and for the ids of requests.
    pub entropy: Arc<dyn Entropy>,
    /// What is counted.
    pub metrics: Arc<dyn Metrics>,
    /// How long sessions are open, and how long they are kept.
    pub times: Times,
    /// What callbacks may be.
    pub callback_policy: CallbackPolicy,
    /// What providers' calls are authenticated with.
    pub inbound: InboundSecrets,
    /// What logins need besides; `None` where no login is served. Their routes then answer as
    /// paths that are none.
    pub logins: Option<Logins>,
    /// Whether callers are held to the limits that this process counts.
    pub rate_limits: RateLimits,
}

/// [`ApiParts`], cheap to clone: what the routers carry. Holds the rate-limit counters; create one
/// per process.
#[derive(Clone)]
pub struct ApiState(Arc<Shared>);

struct Shared {
    parts: ApiParts,
    rate_limiter: RateLimiter,
}

impl From<ApiParts> for ApiState {
    fn from(parts: ApiParts) -> Self {
        let rate_limiter = RateLimiter::new(parts.rate_limits);
        Self(Arc::new(Shared {
            parts,
            rate_limiter,
        }))
    }
}

impl ApiState {
    /// The rate-limit counters.
    pub(crate) fn rate_limiter(&self) -> &RateLimiter {
        &self.0.rate_limiter
    }

    /// A quota, unless limits are lifted.
    pub(crate) fn allowance(&self, quota: Quota) -> Allowance {
        match self.rate_limits {
            RateLimits::Enforced => Allowance::Within(quota),
            RateLimits::Lifted => Allowance::Unlimited,
        }
    }

    /// What logins need besides, where they are served.
    pub(crate) fn logins(&self) -> Result<&Logins, Problem> {
        let logins = self.logins.as_ref();
        logins.ok_or(Problem::new(ProblemCode::NotFound))
    }

    /// What the use cases of logins need, where they are served.
    pub(crate) fn login_ports(&self) -> Result<logins::Ports<'_>, Problem> {
        let logins = self.logins()?;
        Ok(logins::Ports {
            logins: &*logins.sessions,
            history: &*logins.history,
            names: self.rate_limiter(),
            queue: &*self.queue,
            push: &*logins.push,
            geo: &*logins.geo,
            clock: &*self.clock,
            entropy: &*self.entropy,
            metrics: &*self.metrics,
        })
    }
}

impl Deref for ApiState {
    type Target = ApiParts;

    fn deref(&self) -> &ApiParts {
        &self.0.parts
    }
}

/// How long to wait for space: somebody has to make room, or old sessions have to be removed.
const SPACE_RETRY: Duration = Duration::from_mins(1);

/// How long to wait for writes to work again.
const WRITE_RETRY: Duration = Duration::from_secs(5);

/// The problem of storage that takes no writes.
pub(crate) fn not_writable() -> Problem {
    Problem::new(ProblemCode::StorageNotWritable).retry_after(WRITE_RETRY)
}

impl ApiState {
    /// Refuses a new session where storage has no room for it.
    pub(crate) fn check_room(&self) -> Result<(), Problem> {
        match self.storage.condition() {
            StorageCondition::Ready => Ok(()),
            StorageCondition::Low => {
                Err(Problem::new(ProblemCode::StorageLow).retry_after(SPACE_RETRY))
            }
            StorageCondition::NotWritable => Err(not_writable()),
        }
    }
}

/// For the route that tells whether it is up.
impl FromRef<ApiState> for Arc<dyn StorageHealth> {
    fn from_ref(state: &ApiState) -> Self {
        Arc::clone(&state.storage)
    }
}

/// For the routes that publish keys and need nothing else.
impl FromRef<ApiState> for Arc<dyn Signer> {
    fn from_ref(state: &ApiState) -> Self {
        Arc::clone(&state.signer)
    }
}

/// Shows nothing: ports have no text, and secrets must not.
impl fmt::Debug for ApiState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiState").finish_non_exhaustive()
    }
}
