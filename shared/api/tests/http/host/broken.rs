//! Ports that always fail, and predicates for failing store calls.

use std::time::Duration;

use async_trait::async_trait;
use countersign_conformance::failing::Access;
use countersign_domain::delivery::DeliveryPointer;
use countersign_domain::delivery::queue::{DeliveryQueue, Enqueued};
use countersign_domain::delivery::signing::{PublicKey, Signature, Signer};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Key;

/// Returns the error with which every call to a broken port fails.
fn broken<T>() -> Result<T, Unavailable> {
    Err(Unavailable::new(
        "a port",
        std::io::Error::other("the cable is cut"),
    ))
}

pub(crate) struct BrokenQueue;

#[async_trait]
impl DeliveryQueue for BrokenQueue {
    async fn enqueue(&self, _: DeliveryPointer, _: Duration) -> Result<Enqueued, Unavailable> {
        broken()
    }
}

pub(crate) struct BrokenSigner;

#[async_trait]
impl Signer for BrokenSigner {
    async fn sign(&self, _: &[u8; 32]) -> Result<Signature, Unavailable> {
        broken()
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        broken()
    }
}

/// Selects the calls about confirmations.
pub(crate) fn confirmations(access: Access<'_>) -> bool {
    matches!(key(access), Some(Key::Confirmation(_)))
}

/// Selects the calls about logins.
pub(crate) fn logins(access: Access<'_>) -> bool {
    matches!(key(access), Some(Key::Login(_)))
}

/// Selects the calls about apps and their keys.
pub(crate) fn apps(access: Access<'_>) -> bool {
    match key(access) {
        Some(key) => matches!(key, Key::App(_) | Key::ApiKey(_) | Key::Profile),
        None => true,
    }
}

fn key(access: Access<'_>) -> Option<&Key> {
    match access {
        Access::Read(key) | Access::Write(key) => Some(key),
        Access::List(_) | Access::Due(..) => None,
    }
}
