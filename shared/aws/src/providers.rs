//! The SMS providers of a deployment, whose settings may change while a function runs.
//!
//! Lambda freezes a function between events, so nothing can be read in the background: the first
//! request after a minute reloads the settings before it is answered.

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_api::{Causes, ProviderSource};
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_inbound::sns::CertificateSource;
use countersign_inbound::{Providers, Settings};
use futures_util::future::BoxFuture;
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

use crate::config::PublicUrl;
use crate::metrics::{EmbeddedMetrics, PROVIDERS_UNREADABLE};

/// Interval at which the settings are reloaded.
pub const REREAD_INTERVAL: Duration = Duration::from_mins(1);

/// Time limit for reloading the settings. The provider with the shortest timeout, Telnyx, waits two
/// seconds for its answer.
pub const REREAD_TIMEOUT: Duration = Duration::from_secs(1);

const SUBJECT: &str = "settings of SMS providers";

/// Reads the settings, a JSON document. Returns `None` if nothing has been written.
pub type ReadSettings =
    Box<dyn Fn() -> BoxFuture<'static, Result<Option<String>, Unavailable>> + Send + Sync>;

/// Settings and secrets from which a function's providers are created.
pub struct ProviderParts {
    pub read: ReadSettings,
    /// The public URL, unless the settings specify another.
    pub public_url: PublicUrl,
    /// Fetches certificates for SNS.
    pub certificates: Arc<dyn CertificateSource>,
    pub clock: Arc<dyn Clock>,
    /// The counters.
    pub metrics: Arc<EmbeddedMetrics>,
}

/// The enabled providers, as of the last time that the settings were read.
pub struct LiveProviders {
    parts: ProviderParts,
    state: Mutex<State>,
}

struct State {
    /// The last time that the settings were read, or that reading failed.
    tried_at: Timestamp,
    /// Hash of the settings; `None` if nothing had been written.
    seen: Option<[u8; 32]>,
    current: Arc<Providers>,
}

impl LiveProviders {
    /// Reads the settings for the first time. Without settings all providers are disabled.
    ///
    /// # Errors
    /// Fails if the settings cannot be read, or are malformed.
    pub async fn read(parts: ProviderParts) -> Result<Self, Unavailable> {
        let tried_at = parts.clock.now();
        let text = (parts.read)().await?;
        let (seen, current) = if let Some(text) = &text {
            (Some(hash(text)), parts.parse(text)?)
        } else {
            tracing::warn!("SMS providers have no settings: all are off");
            (None, Providers::default())
        };
        Ok(Self {
            parts,
            state: Mutex::new(State {
                tried_at,
                seen,
                current: Arc::new(current),
            }),
        })
    }

    /// Reloads the settings. If that fails, the previous settings stay in use.
    async fn reread(&self) {
        if let Err(error) = self.try_to_reread().await {
            self.parts.metrics.count_named(PROVIDERS_UNREADABLE);
            tracing::error!(
                cause = %Causes(&error),
                "cannot read the settings of SMS providers; the last ones stay in use"
            );
        }
    }

    async fn try_to_reread(&self) -> Result<(), Unavailable> {
        let read = timeout(REREAD_TIMEOUT, (self.parts.read)()).await;
        let text = read.map_err(|elapsed| Unavailable::new(SUBJECT, elapsed))??;
        let new = text.as_deref().map(hash);
        let seen = self.state().seen;
        // Unchanged settings keep their providers, together with what these have cached.
        if new == seen {
            return Ok(());
        }
        // To disable all providers, the operator must write explicit settings.
        let text = text.ok_or_else(|| Unavailable::new(SUBJECT, "they are gone"))?;
        let current = Arc::new(self.parts.parse(&text)?);
        let mut state = self.state();
        state.seen = new;
        state.current = current;
        tracing::info!("read new settings of SMS providers");
        Ok(())
    }

    /// Claims the next reload if it is due or the clock was set back.
    fn is_due(&self) -> bool {
        let now = self.parts.clock.now();
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

impl ProviderParts {
    fn parse(&self, text: &str) -> Result<Providers, Unavailable> {
        let settings = Settings::parse(text.as_bytes());
        let settings = settings.map_err(|error| Unavailable::new(SUBJECT, error))?;
        settings
            .or_public_url(self.public_url.as_str())
            .providers(Some(Arc::clone(&self.certificates)))
            .map_err(|error| Unavailable::new(SUBJECT, error))
    }
}

#[async_trait]
impl ProviderSource for LiveProviders {
    async fn current(&self) -> Arc<Providers> {
        if self.is_due() {
            self.reread().await;
        }
        Arc::clone(&self.state().current)
    }
}

fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}
