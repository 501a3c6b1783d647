//! Why a command was not carried out.

use countersign_domain::app::api_key::{ApiKeyId, MAX_ACTIVE_KEYS};
use countersign_domain::app::senders::EmptyPool;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::use_cases::test_webhook::TestWebhookError;
use countersign_domain::web::callback_url::CallbackUrlError;
use thiserror::Error;

/// Why a command was not carried out: a sentence that says what to do.
#[derive(Debug, Error)]
pub(crate) enum AdminError {
    /// No app of that name.
    #[error("there is no app called {0}; `countersign app list` shows those that there are")]
    UnknownApp(AppId),
    /// The name is in use.
    #[error("there is an app called {0} already; `countersign app update {0}` changes it")]
    NameTaken(AppId),
    /// No number was named, and there is none to fall back on.
    #[error("name a number that receives the app's texts, such as --sender +12025550199")]
    NoSender,
    /// Only numbers for some countries.
    #[error("{0}; name one without a country, such as --sender +12025550199")]
    EmptyPool(#[from] EmptyPool),
    /// A callback that this deployment does not allow.
    #[error("{0}")]
    Callback(#[from] CallbackUrlError),
    /// The default callback is not among the allowed ones.
    #[error("the callback URL's origin {0} is not among the app's callback origins")]
    CallbackOutsideOrigins(String),
    /// No room for another key.
    #[error(
        "{0} has {MAX_ACTIVE_KEYS} active keys already; revoke one first: `countersign key list \
         {0}` shows them"
    )]
    TooManyKeys(AppId),
    /// The app has no such key.
    #[error("{app} has no key {}; `countersign key list {app}` shows those that it has", key.as_str())]
    UnknownKey {
        /// The app.
        app: AppId,
        /// The key.
        key: ApiKeyId,
    },
    /// Only a running server can do it.
    #[error("no server is running on this data; start `countersign serve` with the same --data")]
    NotRunning,
    /// Too many former signing keys.
    #[error("{0}")]
    RotationRefused(String),
    /// A deployment on AWS signs with KMS.
    #[error(
        "the signing keys of a deployment on AWS are in KMS; its /.well-known/jwks.json shows them, \
         and docs/operations.md says how they are replaced"
    )]
    KeysInKms,
    /// A test webhook that could not be sent.
    #[error(transparent)]
    Test(#[from] TestWebhookError),
    /// Ours.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl AdminError {
    /// Whether the fault is ours.
    pub(crate) const fn is_ours(&self) -> bool {
        matches!(
            self,
            Self::Unavailable(_) | Self::Test(TestWebhookError::Unavailable(_))
        )
    }
}
