//! The confirmation of a subscription.

use async_trait::async_trait;
use countersign_domain::primitives::unavailable::Unavailable;

use crate::outcome::SubscribeUrl;

/// Confirms that texts are to be sent to us.
#[async_trait]
pub trait Subscriber: Send + Sync {
    /// Requests the address with GET. Every implementation MUST verify the server's TLS certificate,
    /// connect only to public addresses, follow no redirect and give up after a few seconds.
    ///
    /// # Errors
    ///
    /// Fails if the address does not answer with 200; the provider must then ask again.
    async fn confirm(&self, url: &SubscribeUrl) -> Result<(), Unavailable>;
}
