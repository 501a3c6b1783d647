//! The interface that all providers share, and the enabled providers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::confirmation::text::InboundMessage;
use countersign_domain::primitives::time::Timestamp;
use http::Method;

use crate::MAX_BODY;
use crate::call::{Authentic, Call, SignedCall};
use crate::error::{InboundError, MalformedText};
use crate::outcome::{Content, Outcome, ProviderResponse, Reading};

/// An SMS provider with its secrets.
///
/// Every implementation MUST authenticate the raw bytes with the configured algorithm, whatever the
/// call names, compare in constant time, and look at nothing in the body before the proof holds,
/// except where the proof itself is in the body.
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

    /// Checks that the call comes from the provider, and recently where the provider signs a time.
    ///
    /// # Errors
    ///
    /// Fails if the proof is missing or wrong, or too old.
    async fn authenticate<'a>(
        &self,
        call: Call<'a>,
        now: Timestamp,
    ) -> Result<Authentic<'a>, InboundError>;

    /// Parses what an authentic call brings.
    ///
    /// # Errors
    ///
    /// Fails if the body does not have the provider's documented form.
    fn parse(&self, call: &Authentic<'_>) -> Result<Content, MalformedText>;

    /// Returns the answer that the provider wants.
    fn answer(&self, outcome: Outcome) -> ProviderResponse {
        ProviderResponse::plain(outcome)
    }

    /// Signs a call that brings this text, as the provider does. `nonce` is random. Returns `None`
    /// for providers whose private key only they have.
    fn sign(&self, text: &InboundMessage, now: Timestamp, nonce: &str) -> Option<SignedCall>;
}

/// Authenticates a call and parses what it brings.
///
/// # Errors
///
/// Fails if the call is not the provider's, too old, too large or malformed.
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

/// The providers that are on, by the name in their route.
#[derive(Clone, Debug, Default)]
pub struct Providers(BTreeMap<&'static str, Arc<dyn InboundProvider>>);

impl Providers {
    /// Adds a provider. It replaces one of the same name.
    #[must_use]
    pub fn with(mut self, provider: Arc<dyn InboundProvider>) -> Self {
        self.0.insert(provider.name(), provider);
        self
    }

    /// Returns the provider of a route, `None` if it is not on.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&dyn InboundProvider> {
        self.0.get(name).map(|provider| &**provider)
    }

    /// Iterates over the providers by name.
    pub fn iter(&self) -> impl Iterator<Item = &dyn InboundProvider> {
        self.0.values().map(|provider| &**provider)
    }

    /// Authenticates a call of a route and parses what it brings.
    ///
    /// # Errors
    ///
    /// Fails if the provider is not on, or the call is not the provider's, too old, too large or
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
