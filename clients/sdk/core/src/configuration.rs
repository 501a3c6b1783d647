//! The configuration of the SDK for an app.

mod languages;
mod retries;
mod service_url;

use std::collections::BTreeSet;

use countersign_domain::login::{DenialPayload, DenialTooLong};
use countersign_domain::web::link_host::LinkHost;
use thiserror::Error;

use languages::AcceptLanguage;

pub use languages::MAX_LANGUAGES;
pub use retries::RetryPolicy;
pub use service_url::ServiceUrl;

/// The app's settings for the SDK, fixed at creation. No setting ever comes from a link.
#[derive(Clone, Debug)]
pub struct Configuration {
    service: ServiceUrl,
    link_hosts: BTreeSet<LinkHost>,
    accepts_plain_logins: bool,
    shows_contexts: bool,
    returns_to_pages: bool,
    denial_payload: DenialPayload,
    languages: Option<AcceptLanguage>,
    retries: RetryPolicy,
}

/// Why a configuration is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigurationError {
    /// The service's URL is malformed.
    #[error(
        "the service's address must be https://HOST, without a query; http:// is only allowed for localhost"
    )]
    ServiceUrl,
    /// A link host is malformed.
    #[error("{0:?} is not a link host: a name with an optional port, such as login.shop.example")]
    LinkHost(String),
    /// A language is not a tag such as `de-AT`.
    #[error("{0:?} is not a language tag such as de-AT")]
    Language(String),
    /// The payload of denials is too long.
    #[error("denials: {0}")]
    DenialPayload(#[from] DenialTooLong),
    /// More than [`MAX_LANGUAGES`] languages.
    #[error("more than {MAX_LANGUAGES} languages")]
    TooManyLanguages,
}

impl Configuration {
    /// Creates the configuration of an app that accepts only encrypted logins, shows no contexts, returns
    /// to no pages, and requests no language.
    ///
    /// `link_hosts` are the hosts of links that the app opens, with a port unless it is 443 (80 for
    /// `localhost`); without any host, every link is refused.
    ///
    /// # Errors
    ///
    /// Fails if an address or a host is malformed.
    pub fn new(service_url: &str, link_hosts: &[String]) -> Result<Self, ConfigurationError> {
        let host = |text: &String| {
            let host = text.parse::<LinkHost>();
            host.map_err(|_| ConfigurationError::LinkHost(text.clone()))
        };
        Ok(Self {
            service: service_url.parse()?,
            link_hosts: link_hosts.iter().map(host).collect::<Result<_, _>>()?,
            accepts_plain_logins: false,
            shows_contexts: false,
            returns_to_pages: false,
            denial_payload: DenialPayload::default(),
            languages: None,
            retries: RetryPolicy::standard(),
        })
    }

    /// Sets whether the app accepts logins of browsers without a key (`qrp_`), whose payloads the
    /// service can read.
    #[must_use]
    pub fn accept_plain_logins(mut self, accept: bool) -> Self {
        self.accepts_plain_logins = accept;
        self
    }

    /// Sets whether the app's screen shows the whole context of a login. Otherwise, a login with a
    /// context fails with [`ContextUnsupported`](crate::SdkError::ContextUnsupported).
    #[must_use]
    pub fn show_contexts(mut self, show: bool) -> Self {
        self.shows_contexts = show;
        self
    }

    /// Sets whether the app opens [`return_url`](crate::Session::return_url) in the phone's browser after a
    /// confirmation. An app that does not open it cannot finish such a login, so set this only if it does.
    #[must_use]
    pub fn return_to_pages(mut self, returns: bool) -> Self {
        self.returns_to_pages = returns;
        self
    }

    /// Sets the payload that a default screen sends to the app's server when a user denies: a text of at most 8,192
    /// bytes. It is empty by default. The service can read it, so it must not be a secret, such as a login token.
    ///
    /// # Errors
    ///
    /// Fails if the text is too long.
    pub fn denial_payload(mut self, text: &str) -> Result<Self, ConfigurationError> {
        self.denial_payload = DenialPayload::new(text.to_owned())?;
        Ok(self)
    }

    /// Sets the languages of user-visible texts, as tags (RFC 5646), preferred language first.
    ///
    /// # Errors
    ///
    /// Fails if a tag is malformed, or if there are too many.
    pub fn languages(mut self, tags: &[String]) -> Result<Self, ConfigurationError> {
        self.languages = AcceptLanguage::from_tags(tags)?;
        Ok(self)
    }

    /// Sets how requests are retried.
    #[must_use]
    pub fn retry(mut self, retries: RetryPolicy) -> Self {
        self.retries = retries;
        self
    }

    pub(crate) const fn service(&self) -> &ServiceUrl {
        &self.service
    }

    pub(crate) fn is_link_host(&self, host: &LinkHost) -> bool {
        self.link_hosts.contains(host)
    }

    pub(crate) const fn accepts_plain(&self) -> bool {
        self.accepts_plain_logins
    }

    pub(crate) const fn shows_context(&self) -> bool {
        self.shows_contexts
    }

    pub(crate) const fn returns(&self) -> bool {
        self.returns_to_pages
    }

    pub(crate) const fn denial(&self) -> &DenialPayload {
        &self.denial_payload
    }

    pub(crate) fn accept_language(&self) -> Option<&str> {
        self.languages.as_ref().map(AcceptLanguage::as_str)
    }

    pub(crate) const fn retries(&self) -> &RetryPolicy {
        &self.retries
    }
}
