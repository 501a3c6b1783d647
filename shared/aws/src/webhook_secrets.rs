//! The secrets from which the webhook secrets of apps are derived, which may be replaced while a function
//! runs.
//!
//! Lambda freezes a function between events, so nothing can be read in the background: the first batch after five
//! minutes reloads the secrets before it is sent.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_api::Causes;
use countersign_domain::delivery::master_secret::MasterSecrets;
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::primitives::unavailable::Unavailable;
use tokio::time::timeout;

use crate::config::SecretName;
use crate::secrets;
use crate::services::Services;

/// Interval at which the secrets are reloaded.
pub const REREAD_INTERVAL: Duration = Duration::from_mins(5);

/// Time limit for reloading the secrets, during which webhooks wait.
const REREAD_TIMEOUT: Duration = Duration::from_secs(1);

/// The secrets, as of the last time that they were read.
pub struct LiveMasterSecrets {
    services: Services,
    secret: SecretName,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

struct State {
    /// The last time that the secrets were read, or that reading failed.
    tried_at: Timestamp,
    current: Arc<MasterSecrets>,
}

impl LiveMasterSecrets {
    /// Creates the cache from secrets that were just read.
    #[must_use]
    pub fn new(
        services: Services,
        secret: SecretName,
        clock: Arc<dyn Clock>,
        current: MasterSecrets,
    ) -> Self {
        let state = Mutex::new(State {
            tried_at: clock.now(),
            current: Arc::new(current),
        });
        Self {
            services,
            secret,
            clock,
            state,
        }
    }

    /// Reads the secrets for the first time.
    ///
    /// # Errors
    /// Fails if the secrets cannot be read, or are malformed.
    pub async fn read(
        services: Services,
        secret: SecretName,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Unavailable> {
        let current = secrets::webhooks(&services, &secret).await?;
        Ok(Self::new(services, secret, clock, current))
    }

    /// Returns the current secrets. If they are due to be reloaded and that fails, the previous ones stay in
    /// use.
    pub async fn current(&self) -> Arc<MasterSecrets> {
        if self.is_due() {
            let read = secrets::webhooks(&self.services, &self.secret);
            let read = match timeout(REREAD_TIMEOUT, read).await {
                Ok(read) => read,
                Err(elapsed) => Err(Unavailable::new("secret for webhooks", elapsed)),
            };
            match read {
                Ok(read) => self.state().current = Arc::new(read),
                Err(error) => tracing::error!(
                    cause = %Causes(&error),
                    "cannot read the secret for webhooks again; the last one stays in use"
                ),
            }
        }
        Arc::clone(&self.state().current)
    }

    /// Claims the next reload if it is due or the clock was set back.
    fn is_due(&self) -> bool {
        let now = self.clock.now();
        let mut state = self.state();
        let is_recent = state.tried_at <= now && now.since(state.tried_at) < REREAD_INTERVAL;
        if !is_recent {
            state.tried_at = now;
        }
        !is_recent
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
