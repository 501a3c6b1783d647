//! The configuration of an app.

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

/// The settings of an app, given once. Nothing of it ever comes from a link.
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

/// The reason why a configuration is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigurationError {
    /// The service's address is not one.
    #[error(
        "the service's address must be https://HOST, without a query; http:// is for this machine alone"
    )]
    ServiceUrl,
    /// A link host is not one.
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
    /// Creates the configuration of an app that takes encrypted logins only, shows no contexts, returns to
    /// no pages, and asks for no language.
    ///
    /// `link_hosts` are the hosts of links that the app opens, with a port unless it is 443 (80 for
    /// `localhost`). Without any, every link is refused.
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

    /// Sets whether logins of browsers without a key (`qrp_`) are taken, whose payloads the service
    /// can read.
    #[must_use]
    pub fn accept_plain_logins(mut self, accept: bool) -> Self {
        self.accepts_plain_logins = accept;
        self
    }

    /// Sets whether the app's screen shows the whole context of a login. A login with a context
    /// otherwise fails with [`ContextUnsupported`](crate::SdkError::ContextUnsupported).
    #[must_use]
    pub fn show_contexts(mut self, show: bool) -> Self {
        self.shows_contexts = show;
        self
    }

    /// Sets whether the app opens [`return_url`](crate::Session::return_url) in the phone's browser after a
    /// confirmation. If it does not, such a login cannot be finished, so set it only once it does.
    #[must_use]
    pub fn return_to_pages(mut self, returns: bool) -> Self {
        self.returns_to_pages = returns;
        self
    }

    /// Sets what a default screen sends with a person's denial, for the app's server: a text of at most 8,192 bytes. By
    /// default it is empty. The service can read it, so it must be no secret, such as a token that logs in.
    ///
    /// # Errors
    ///
    /// Fails if the text is too long.
    pub fn denial_payload(mut self, text: &str) -> Result<Self, ConfigurationError> {
        self.denial_payload = DenialPayload::new(text.to_owned())?;
        Ok(self)
    }

    /// Sets the languages of texts for people, as tags (RFC 5646), the preferred one first.
    ///
    /// # Errors
    ///
    /// Fails if a tag is malformed, or if there are too many.
    pub fn languages(mut self, tags: &[String]) -> Result<Self, ConfigurationError> {
        self.languages = AcceptLanguage::from_tags(tags)?;
        Ok(self)
    }

    /// Sets how requests are repeated.
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
