//! What every handler shares.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRef;
use countersign_domain::callback_url::CallbackPolicy;
use countersign_domain::ports::{
    AppStore, Clock, ConfirmationStore, DeliveryQueue, Entropy, Metrics, Signer,
};
use countersign_domain::use_cases::Times;
use countersign_inbound::InboundSecrets;

use crate::logins::Logins;

/// What a host puts behind the API.
pub struct ApiParts {
    /// Where confirmations are kept.
    pub confirmations: Arc<dyn ConfirmationStore>,
    /// Where apps and their keys are kept.
    pub apps: Arc<dyn AppStore>,
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
}

/// [`ApiParts`], cheap to clone: what the routers carry.
#[derive(Clone)]
pub struct ApiState(Arc<ApiParts>);

impl From<ApiParts> for ApiState {
    fn from(parts: ApiParts) -> Self {
        Self(Arc::new(parts))
    }
}

impl Deref for ApiState {
    type Target = ApiParts;

    fn deref(&self) -> &ApiParts {
        &self.0
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
