//! The providers that are on.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign_domain::primitives::time::Timestamp;

use crate::call::Call;
use crate::error::InboundError;
use crate::outcome::Reading;
use crate::provider::{InboundProvider, read};

/// The providers that are on, by the name in their route.
#[derive(Clone, Debug, Default)]
pub struct Providers(BTreeMap<&'static str, Arc<dyn InboundProvider>>);

impl Providers {
    /// Adds a provider. It replaces one of the same name.
    #[must_use]
    pub fn with(mut self, provider: impl InboundProvider + 'static) -> Self {
        self.0.insert(provider.name(), Arc::new(provider));
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
