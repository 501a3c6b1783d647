//! Ports for the tests of handlers.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use countersign_conformance::samples::NOW;
use countersign_domain::delivery::DeliveryPointer;
use countersign_domain::delivery::queue::{DeliveryQueue, Enqueued};
use countersign_domain::delivery::sender::{SendOutcome, WebhookRequest, WebhookSender};
use countersign_domain::delivery::signing::{KeyId, PublicKey, Signature, Signer};
use countersign_domain::primitives::push::{NotifyOutcome, Push};
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::primitives::watcher::WatcherId;
use countersign_domain::web::callback_url::CallbackUrl;

/// A clock that always returns the same time.
pub(crate) struct StoppedClock;

impl Clock for StoppedClock {
    fn now(&self) -> Timestamp {
        NOW
    }
}

/// A queue that records enqueued pointers.
#[derive(Default)]
pub(crate) struct OpenQueue(pub(crate) Mutex<Vec<(DeliveryPointer, Duration)>>);

#[async_trait]
impl DeliveryQueue for OpenQueue {
    async fn enqueue(
        &self,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<Enqueued, Unavailable> {
        self.0.lock().unwrap().push((pointer, delay));
        Ok(Enqueued::Waiting)
    }
}

/// A push port to which no page is connected.
pub(crate) struct NoPages;

#[async_trait]
impl Push for NoPages {
    async fn notify(&self, _: &WatcherId) -> Result<NotifyOutcome, Unavailable> {
        Ok(NotifyOutcome::Gone)
    }
}

/// A signer that returns the digest as its signature, or fails if it is broken.
#[derive(Default)]
pub(crate) struct SomeSigner {
    pub(crate) broken: AtomicBool,
}

#[async_trait]
impl Signer for SomeSigner {
    async fn sign(&self, digest: &[u8; 32]) -> Result<Signature, Unavailable> {
        if self.broken.load(Ordering::SeqCst) {
            return Err(Unavailable::new("signer: sign", "it is broken"));
        }
        Ok(Signature {
            der: digest.to_vec(),
            key_id: KeyId::from_stored("some".to_owned()),
        })
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        Ok(Vec::new())
    }
}

/// A sender that answers every webhook with this status.
pub(crate) struct Answers(pub(crate) u16);

#[async_trait]
impl WebhookSender for Answers {
    async fn send(&self, _: &CallbackUrl, _: &WebhookRequest) -> SendOutcome {
        SendOutcome::Answered {
            status: self.0,
            retry_after: None,
            beginning: String::new(),
        }
    }
}
