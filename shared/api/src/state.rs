//! The state that all handlers share.

pub(crate) mod parts;

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::FromRef;
use countersign_domain::app::App;
use countersign_domain::app::quota::{Allowance, Quota, QuotaExceeded, QuotaLimit, RateUsage};
use countersign_domain::delivery::signing::Signer;
use countersign_domain::event::{Event, Labels};
use countersign_domain::primitives::storage::{StorageCondition, StorageHealth};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::ListPermit;
use countersign_domain::use_cases;
use countersign_proof::Proofs;

use crate::problem::{Problem, ProblemCode};
use crate::rate_limit::{RateLimiter, RateLimits};
use parts::{ApiParts, Logins, OpenIdParts};

/// `Retry-After` when storage is full: an operator must free space, or old sessions must be purged.
const SPACE_RETRY: Duration = Duration::from_mins(1);

/// `Retry-After` while the store does not accept writes.
const WRITE_RETRY: Duration = Duration::from_secs(5);

/// Problems of a request that starts a session or registers a key.
pub(crate) const ROOM_PROBLEMS: &[ProblemCode] =
    &[ProblemCode::StorageLow, ProblemCode::StorageNotWritable];

/// Problems of a request that lists confirmations or logins of an app.
pub(crate) const LIST_PROBLEMS: &[ProblemCode] = &[ProblemCode::AppListsExceeded];

/// [`ApiParts`] and the rate-limit counters, cheap to clone. Create one per process.
#[derive(Clone)]
pub struct ApiState(Arc<Shared>);

struct Shared {
    parts: ApiParts,
    rate_limiter: RateLimiter,
    /// Each app's use of its redelivery rate.
    redeliveries: Mutex<RateUsage>,
}

impl From<ApiParts> for ApiState {
    fn from(parts: ApiParts) -> Self {
        let rate_limiter = RateLimiter::new(parts.rate_limits);
        Self(Arc::new(Shared {
            parts,
            rate_limiter,
            redeliveries: Mutex::default(),
        }))
    }
}

impl ApiState {
    /// Returns the rate-limit counters.
    pub(crate) fn rate_limiter(&self) -> &RateLimiter {
        &self.0.rate_limiter
    }

    /// Returns the allowance of a quota, which is unlimited where rate limits are lifted.
    pub(crate) fn allowance(&self, quota: Quota) -> Allowance {
        match self.rate_limits {
            RateLimits::Enforced => Allowance::Within(quota),
            RateLimits::Lifted => Allowance::Unlimited,
        }
    }

    /// Counts a redelivery against the app's rate, which equals its rate of new confirmations.
    pub(crate) fn count_redelivery(&self, app: &App, now: Timestamp) -> Result<(), QuotaExceeded> {
        let Allowance::Within(quota) = self.allowance(app.quotas.for_confirmations()) else {
            return Ok(());
        };
        let redeliveries = self.0.redeliveries.lock();
        let mut redeliveries = redeliveries.unwrap_or_else(PoisonError::into_inner);
        redeliveries.count(&app.id, &quota, now)
    }

    /// Counts a list request against the app's quota.
    pub(crate) fn begin_list(&self, app: &App, now: Timestamp) -> Result<ListPermit<'_>, Problem> {
        let allowance = self.allowance(app.quotas.for_lists());
        let begun = self.store.begin_list(&app.id, allowance, now);
        begun.map_err(|exceeded| {
            let labels = Labels::of_app(&app.id);
            self.metrics.count(&Event::ListsExceeded, labels);
            let detail = match exceeded.limit {
                QuotaLimit::Rate => {
                    "List less often: wait as long as Retry-After says, or ask the operator to raise the quota."
                }
                QuotaLimit::Open => "Wait for the answers to lists before you send further ones.",
            };
            let problem = Problem::new(ProblemCode::AppListsExceeded).detail(detail);
            problem.retry_after(exceeded.retry_after)
        })
    }

    /// Returns the parts for logins, or the not-found problem if this host serves none.
    pub(crate) fn logins(&self) -> Result<&Logins, Problem> {
        let logins = self.logins.as_ref();
        logins.ok_or(Problem::new(ProblemCode::NotFound))
    }

    /// Returns the ports for most use cases.
    pub(crate) fn ports(&self) -> use_cases::Ports<'_> {
        use_cases::Ports {
            store: &self.store,
            queue: &*self.queue,
            clock: &*self.clock,
            entropy: &*self.entropy,
            metrics: &*self.metrics,
        }
    }

    /// Returns the ports for the use cases of logins, or the not-found problem if this host serves
    /// none.
    pub(crate) fn login_ports(&self) -> Result<use_cases::logins::LoginPorts<'_>, Problem> {
        let logins = self.logins()?;
        Ok(use_cases::logins::LoginPorts {
            common: self.ports(),
            proofs: &Proofs,
            names: self.rate_limiter(),
            push: &*logins.push,
            geo: &*logins.geo,
        })
    }

    /// Returns the ports for the use cases of association keys, or the not-found problem if this
    /// host serves no logins.
    pub(crate) fn association_key_ports(
        &self,
    ) -> Result<use_cases::association_keys::AssociationKeyPorts<'_>, Problem> {
        self.logins()?;
        Ok(use_cases::association_keys::AssociationKeyPorts {
            store: &self.store,
            proofs: &Proofs,
            clock: &*self.clock,
        })
    }

    /// Returns the ports for the use cases of phone registrations, or the not-found problem if this host serves no
    /// logins.
    pub(crate) fn setup_ports(
        &self,
    ) -> Result<use_cases::phone_registrations::SetupPorts<'_>, Problem> {
        let logins = self.logins()?;
        Ok(use_cases::phone_registrations::SetupPorts {
            common: self.ports(),
            proofs: &Proofs,
            geo: &*logins.geo,
            limits_keys: self.rate_limits == RateLimits::Enforced,
        })
    }

    /// Returns the parts for the `OpenID` provider, or the not-found problem if this host serves none.
    pub(crate) fn openid(&self) -> Result<&OpenIdParts, Problem> {
        let openid = self.openid.as_ref();
        openid.ok_or(Problem::new(ProblemCode::NotFound))
    }

    /// Returns the ports for the use cases of the `OpenID` provider, or the not-found problem if this host serves none.
    pub(crate) fn openid_ports(&self) -> Result<use_cases::openid::OpenIdPorts<'_>, Problem> {
        let openid = self.openid()?;
        Ok(use_cases::openid::OpenIdPorts {
            common: self.ports(),
            signer: &*openid.signer,
            secret: &openid.secret,
            issuer: &openid.issuer,
        })
    }

    /// Returns the service's own origin, at which the `OpenID` provider has its page; `None` on hosts that do not know it.
    pub(crate) fn service_origin(&self) -> Option<&str> {
        let channel = self.client_channel.as_ref()?;
        Some(&channel.service_url)
    }

    /// Refuses a new session if storage has no room for it.
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

/// Returns the problem of storage that does not accept writes.
pub(crate) fn not_writable() -> Problem {
    Problem::new(ProblemCode::StorageNotWritable).retry_after(WRITE_RETRY)
}

impl Deref for ApiState {
    type Target = ApiParts;

    fn deref(&self) -> &ApiParts {
        &self.0.parts
    }
}

/// Used by the health route.
impl FromRef<ApiState> for Arc<dyn StorageHealth> {
    fn from_ref(state: &ApiState) -> Self {
        Arc::clone(&state.storage)
    }
}

/// Used by the routes that publish keys.
impl FromRef<ApiState> for Arc<dyn Signer> {
    fn from_ref(state: &ApiState) -> Self {
        Arc::clone(&state.signer)
    }
}

/// Shows no fields: ports have no text form, and secrets must not be shown.
impl fmt::Debug for ApiState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiState").finish_non_exhaustive()
    }
}
