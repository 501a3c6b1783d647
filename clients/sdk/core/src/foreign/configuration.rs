//! The configuration of the SDK for an app.

use std::time::Duration;

use thiserror::Error;

use crate::configuration;

/// The app's settings for the SDK, fixed at creation.
#[derive(uniffi::Record)]
pub struct Configuration {
    /// The service's URL, such as `https://login.example`.
    pub service_url: String,
    /// The hosts of links that the app opens, with a port unless it is 443.
    pub link_hosts: Vec<String>,
    /// The languages of user-visible texts, as tags (RFC 5646), preferred language first.
    pub languages: Vec<String>,
    /// True if the app's screen shows the whole context of a login.
    pub shows_contexts: bool,
    /// True if the app opens `return_url` in the phone's browser after a confirmation.
    #[uniffi(default = false)]
    pub returns_to_pages: bool,
    /// The payload that a default screen sends to the app's server with a denial.
    #[uniffi(default = "")]
    pub denial_payload: String,
    /// True if the app accepts logins of browsers without a key.
    pub accepts_plain_logins: bool,
    /// The delay before each retry of a request, in milliseconds; `None` for the standard delays.
    pub retry_delays_millis: Option<Vec<u64>>,
    /// The timeout of each attempt, in milliseconds. Ignored with the standard delays.
    pub attempt_timeout_millis: Option<u64>,
}

/// Why a configuration is invalid.
#[derive(Debug, Error, uniffi::Error)]
pub enum ConfigurationError {
    /// A setting is malformed.
    #[error("{detail}")]
    Invalid {
        /// The setting and its requirements.
        detail: String,
    },
}

impl From<configuration::ConfigurationError> for ConfigurationError {
    fn from(error: configuration::ConfigurationError) -> Self {
        let detail = error.to_string();
        Self::Invalid { detail }
    }
}

impl TryFrom<Configuration> for configuration::Configuration {
    type Error = ConfigurationError;

    fn try_from(given: Configuration) -> Result<Self, ConfigurationError> {
        let mut configuration = Self::new(&given.service_url, &given.link_hosts)?
            .languages(&given.languages)?
            .show_contexts(given.shows_contexts)
            .return_to_pages(given.returns_to_pages)
            .denial_payload(&given.denial_payload)?
            .accept_plain_logins(given.accepts_plain_logins);
        if let Some(delays) = given.retry_delays_millis {
            let delays = delays.into_iter().map(Duration::from_millis).collect();
            let mut retries = configuration::RetryPolicy::after(delays);
            if let Some(timeout) = given.attempt_timeout_millis {
                retries = retries.timeout(Duration::from_millis(timeout));
            }
            configuration = configuration.retry(retries);
        }
        Ok(configuration)
    }
}
