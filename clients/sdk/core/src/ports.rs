//! Ports that a platform implements for the core.

pub(crate) mod answers;
pub(crate) mod http;
pub(crate) mod keys;
pub(crate) mod secrets;
pub(crate) mod timer;

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::Clock;
use thiserror::Error;

use answers::AnswerStore;
use http::Http;
use keys::AssociationKeys;
use secrets::SecretStore;
use timer::Timer;

/// The platform's implementations of the core's ports.
#[derive(Clone)]
pub struct Platform {
    /// Sends requests.
    pub http: Arc<dyn Http>,
    /// Waits.
    pub timer: Arc<dyn Timer>,
    /// Stores the device secret.
    pub secrets: Arc<dyn SecretStore>,
    /// Stores answers until their logins have ended.
    pub answers: Arc<dyn AnswerStore>,
    /// Stores association keys, and signs with them.
    pub keys: Arc<dyn AssociationKeys>,
    /// Returns the time since the phone started. It includes time in suspension, and is independent of the wall
    /// clock.
    pub since_boot: Arc<dyn Fn() -> Duration + Send + Sync>,
    /// The phone's wall clock. It is often wrong by minutes or hours, so it only serves to reject
    /// an implausible service time.
    pub wall_clock: Arc<dyn Clock>,
    /// The operating system's random numbers.
    pub entropy: Arc<dyn Entropy>,
}

/// The error of one of the platform's stores.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Error))]
pub enum StoreError {
    /// The store failed.
    #[error("{detail}")]
    Failed {
        /// The cause, for logs, without secrets.
        detail: String,
    },
}
