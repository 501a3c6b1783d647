//! The SDK's operations for an app.

use std::sync::Arc;

use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;
use countersign_system::guarded::since_boot;

use super::configuration::{Configuration, ConfigurationError};
use super::session::Session;
use crate::client;
use crate::error::SdkError;
use crate::ports::Platform;
use crate::ports::answers::AnswerStore;
use crate::ports::http::Http;
use crate::ports::keys::AssociationKeys;
use crate::ports::secrets::SecretStore;
use crate::ports::timer::Timer;

/// The SDK for one app.
#[derive(uniffi::Object)]
pub struct Client(client::Client);

#[uniffi::export]
impl Client {
    /// Creates the SDK for an app on a platform. This neither reads nor sends anything yet.
    ///
    /// # Errors
    ///
    /// Fails if the configuration is invalid.
    #[uniffi::constructor]
    pub fn new(
        configuration: Configuration,
        http: Arc<dyn Http>,
        timer: Arc<dyn Timer>,
        secrets: Arc<dyn SecretStore>,
        answers: Arc<dyn AnswerStore>,
        keys: Arc<dyn AssociationKeys>,
    ) -> Result<Self, ConfigurationError> {
        let platform = Platform {
            http,
            timer,
            secrets,
            answers,
            keys,
            since_boot: Arc::new(since_boot),
            wall_clock: Arc::new(SystemClock),
            entropy: Arc::new(OsEntropy),
        };
        let configuration = configuration.try_into()?;
        Ok(Self(client::Client::new(configuration, platform)))
    }

    /// Returns the session id of a scanned or opened link.
    ///
    /// # Errors
    ///
    /// Fails if it is not a link that the app opens.
    pub fn session_id(&self, link: &str) -> Result<String, SdkError> {
        self.0.session_id(link)
    }

    /// Opens a login, and checks that its id matches the service's answer.
    ///
    /// # Errors
    ///
    /// The errors of the core.
    pub async fn initialize_qr_session(
        &self,
        app_key: String,
        session_id: String,
        public_user_id: Option<String>,
    ) -> Result<Session, SdkError> {
        let user = public_user_id.as_deref();
        let opened = self.0.initialize_qr_session(&app_key, &session_id, user);
        Ok(Session::new(opened.await?))
    }

    /// Generates a persistent key pair for a user, and returns the public key in Base64.
    ///
    /// # Errors
    ///
    /// The errors of the core.
    pub fn generate_association_key(&self, public_user_id: &str) -> Result<String, SdkError> {
        let keys = self.0.keys();
        keys.generate_association_key(Some(public_user_id))
    }

    /// Returns a user's public key in Base64.
    ///
    /// # Errors
    ///
    /// The errors of the core.
    pub fn get_association_key(&self, public_user_id: &str) -> Result<String, SdkError> {
        self.0.keys().get_association_key(Some(public_user_id))
    }

    /// Returns the ids of all users with a key, sorted.
    ///
    /// # Errors
    ///
    /// The errors of the core.
    pub fn list_association_key(&self) -> Result<Vec<String>, SdkError> {
        self.0.keys().list_association_key()
    }

    /// Signs data from the app with a user's key, and returns the signature in Base64.
    ///
    /// # Errors
    ///
    /// The errors of the core.
    pub fn generate_user_signature(
        &self,
        public_user_id: &str,
        data: &str,
    ) -> Result<String, SdkError> {
        let keys = self.0.keys();
        keys.generate_user_signature(Some(public_user_id), data)
    }
}
