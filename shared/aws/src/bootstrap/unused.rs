//! Ports that a function does not use.

use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::delivery::DeliveryPointer;
use countersign_domain::delivery::queue::{DeliveryQueue, Enqueued};
use countersign_domain::delivery::signing::{PublicKey, Signature, Signer};
use countersign_domain::primitives::push::{NotifyOutcome, Push};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::primitives::watcher::WatcherId;

/// Stands in for a port that none of the function's routes uses. Every call fails.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UnusedPort;

const REASON: &str = "not configured for this function";

#[async_trait]
impl DeliveryQueue for UnusedPort {
    async fn enqueue(&self, _: DeliveryPointer, _: Duration) -> Result<Enqueued, Unavailable> {
        Err(Unavailable::new("delivery queue", REASON))
    }
}

#[async_trait]
impl Push for UnusedPort {
    async fn notify(&self, _: &WatcherId) -> Result<NotifyOutcome, Unavailable> {
        Err(Unavailable::new("push", REASON))
    }
}

#[async_trait]
impl Signer for UnusedPort {
    async fn sign(&self, _: &[u8; 32]) -> Result<Signature, Unavailable> {
        Err(Unavailable::new("signer", REASON))
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        Err(Unavailable::new("signer", REASON))
    }
}
