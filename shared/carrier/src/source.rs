//! Providers that know carriers.

use async_trait::async_trait;
use countersign_domain::confirmation::carrier::CarrierName;
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_webhook::client::FetchError;
use thiserror::Error;

/// A provider that knows the carriers of numbers.
///
/// Implementations need not limit their own time: [`BoundedLookup`](crate::BoundedLookup) does.
#[async_trait]
pub trait CarrierSource: Send + Sync {
    /// Requests the carrier of a number. The name is empty if the provider knows no carrier.
    ///
    /// # Errors
    ///
    /// Fails if the provider refuses, fails, or sends an unexpected answer.
    async fn ask(&self, number: &PhoneNumber) -> Result<CarrierName, SourceError>;
}

/// Why a provider did not return a carrier. No message contains a number or a secret.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SourceError {
    /// The call failed.
    #[error(transparent)]
    Call(#[from] FetchError),
    /// The request could not be built.
    #[error("cannot make the request")]
    Request,
    /// The answer does not have the documented format.
    #[error("the answer is malformed")]
    Malformed,
    /// The answer reports a provider error.
    #[error("the provider reported error {0}")]
    Reported(u32),
}
