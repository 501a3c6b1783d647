//! The interface that all providers share, and the enabled providers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::confirmation::text::InboundMessage;
use countersign_domain::primitives::time::Timestamp;
use http::Method;

use crate::MAX_BODY;
use crate::call::{AuthenticCall, Call, SignedCall};
use crate::error::{InboundError, MalformedText};
use crate::outcome::{Content, Outcome, ProviderResponse, Reading};

/// An SMS provider with its secrets.
///
/// Every implementation MUST authenticate the raw bytes with the configured algorithm, whatever the
/// call says, compare in constant time, and not evaluate the body before it is authenticated,
/// except where the signature itself is in the body.
#[async_trait]
pub trait InboundProvider: fmt::Debug + Send + Sync {
    /// Returns the name in the route `/inbound-sms/{name}`.
    fn name(&self) -> &'static str;

    /// Returns whether the provider uses this method.
    fn uses(&self, method: &Method) -> bool {
        method == Method::POST
    }

    /// Returns the maximum size of a body, in bytes.
    fn max_body(&self) -> usize {
        MAX_BODY
    }

    /// Checks that the call comes from the provider, and that it is recent if the provider signs a
    /// timestamp.
    ///
    /// # Errors
    ///
    /// Fails if the credential or signature is missing or wrong, or too old.
    async fn authenticate<'a>(
        &self,
        call: Call<'a>,
        now: Timestamp,
    ) -> Result<AuthenticCall<'a>, InboundError>;

    /// Parses the content of an authentic call.
    ///
    /// # Errors
    ///
    /// Fails if the body does not have the provider's documented format.
    fn parse(&self, call: &AuthenticCall<'_>) -> Result<Content, MalformedText>;

    /// Returns the answer that the provider expects.
    fn answer(&self, outcome: Outcome) -> ProviderResponse {
        ProviderResponse::plain(outcome)
    }

    /// Signs a call with this text, as the provider does. `nonce` is random. Returns `None` for
    /// providers that sign with a private key of their own.
    fn sign(&self, text: &InboundMessage, now: Timestamp, nonce: &str) -> Option<SignedCall>;
}

/// Authenticates a call and parses its content.
///
/// # Errors
///
/// Fails if the call is not authentic, too old, too large or malformed.
pub async fn read(
    provider: &dyn InboundProvider,
    call: Call<'_>,
    now: Timestamp,
) -> Result<Reading, InboundError> {
    if !provider.uses(call.method) {
        return Err(InboundError::Method);
    }
    if call.body.len() > provider.max_body() {
        return Err(InboundError::TooLarge);
    }
    let authentic = provider.authenticate(call, now).await?;
    Ok(Reading {
        single_use: authentic.single_use,
        content: provider.parse(&authentic)?,
    })
}

/// The enabled providers, by the name in their route.
#[derive(Clone, Debug, Default)]
pub struct Providers(BTreeMap<&'static str, Arc<dyn InboundProvider>>);

impl Providers {
    /// Adds a provider. Replaces a provider of the same name.
    #[must_use]
    pub fn with(mut self, provider: Arc<dyn InboundProvider>) -> Self {
        self.0.insert(provider.name(), provider);
        self
    }

    /// Returns the provider of a route, or `None` if it is not enabled.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&dyn InboundProvider> {
        self.0.get(name).map(|provider| &**provider)
    }

    /// Iterates over the providers by name.
    pub fn iter(&self) -> impl Iterator<Item = &dyn InboundProvider> {
        self.0.values().map(|provider| &**provider)
    }

    /// Authenticates a call of a route and parses its content.
    ///
    /// # Errors
    ///
    /// Fails if the provider is not enabled, or if the call is not authentic, too old, too large or
    /// malformed.
    pub async fn read(
        &self,
        name: &str,
        call: Call<'_>,
        now: Timestamp,
    ) -> Result<Reading, InboundError> {
        let provider = self.get(name).ok_or(InboundError::NotConfigured)?;
        read(provider, call, now).await
    }
}
