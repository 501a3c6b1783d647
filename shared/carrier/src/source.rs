//! Providers that know carriers.

use async_trait::async_trait;
use countersign_domain::confirmation::carrier::CarrierName;
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_webhook::client::FetchError;
use thiserror::Error;

/// A provider that knows the carriers of numbers.
///
/// Implementations need not limit their time: [`BoundedLookup`](crate::BoundedLookup) does.
#[async_trait]
pub trait CarrierSource: Send + Sync {
    /// Asks for the carrier of a number. The name is empty if the provider knows none.
    ///
    /// # Errors
    ///
    /// Fails if the provider refuses, fails, or answers something else.
    async fn ask(&self, number: &PhoneNumber) -> Result<CarrierName, SourceError>;
}

/// Why a provider did not name a carrier. No message holds a number or a secret.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SourceError {
    /// The call failed.
    #[error(transparent)]
    Call(#[from] FetchError),
    /// The request could not be made.
    #[error("cannot make the request")]
    Request,
    /// The answer is not of the documented form.
    #[error("the answer is malformed")]
    Malformed,
    /// The answer reports an error of the provider's.
    #[error("the provider reported error {0}")]
    Reported(u32),
}
