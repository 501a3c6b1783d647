//! Recording the last use of API keys between two events.
//!
//! Lambda freezes a function when it asks for the next event. The answer is sent before that, so the caller waits for
//! nothing.

#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use countersign_api::Causes;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Store;
use tokio::time::timeout;

/// Maximum time that a function spends on it after an answer.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Records the last use of API keys, for a function that authenticates them. Clones share the store.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyUseRecorder(Arc<OnceLock<Arc<Store>>>);

impl KeyUseRecorder {
    /// Records the uses that this store notes.
    pub(crate) fn watch(&self, store: &Arc<Store>) {
        self.0.get_or_init(|| Arc::clone(store));
    }

    /// Records the uses noted so far. A failure is logged, and tried again after a later event.
    pub(crate) async fn record(&self) {
        let Some(store) = self.0.get() else { return };
        let recorded = timeout(TIMEOUT, store.record_key_uses()).await;
        let recorded = recorded
            .unwrap_or_else(|elapsed| Err(Unavailable::new("the last use of API keys", elapsed)));
        if let Err(cause) = recorded {
            tracing::warn!(cause = %Causes(&cause), "the last use of an API key was not recorded");
        }
    }
}
