//! The ports in memory, for all suites: what they were given can be read, and some can be broken.
#![allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "an invalid key is a bug in this file"
)]

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::delivery::DeliveryPointer;
use countersign_domain::delivery::queue::{DeliveryQueue, Enqueued};
use countersign_domain::delivery::sender::{SendOutcome, WebhookRequest, WebhookSender};
use countersign_domain::delivery::signing::{PublicKey, Signature, Signer};
use countersign_domain::event::{Event, Labels, Metrics};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::push::{NotifyOutcome, Push};
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::primitives::watcher::WatcherId;
use countersign_domain::web::callback_url::CallbackUrl;
use tokio::time::Instant;

use crate::samples::NOW;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Fails if a port is broken.
fn works(port: &'static str, broken: &AtomicBool) -> Result<(), Unavailable> {
    if broken.load(Ordering::SeqCst) {
        let cause = std::io::Error::other("the cable is cut");
        return Err(Unavailable::new(port, cause));
    }
    Ok(())
}

/// A clock that the test sets. Begins at [`NOW`].
pub struct SetClock(AtomicU64);

impl SetClock {
    /// Creates a clock that begins at a time.
    #[must_use]
    pub const fn at(now: Timestamp) -> Self {
        Self(AtomicU64::new(now.as_millis()))
    }

    #[must_use]
    pub fn get(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }

    pub fn set(&self, now: Timestamp) {
        self.0.store(now.as_millis(), Ordering::SeqCst);
    }

    pub fn advance(&self, by: Duration) {
        self.set(self.get().plus(by));
    }
}

impl Default for SetClock {
    fn default() -> Self {
        Self::at(NOW)
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        self.get()
    }
}

/// A clock that follows tokio's, which the test pauses. It says [`NOW`] at its instant.
#[derive(Clone)]
pub struct TokioClock(pub Instant);

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        NOW.plus(self.0.elapsed())
    }
}

/// Entropy that never repeats bytes, and gives the same bytes in each run.
#[derive(Default)]
pub struct CountedEntropy(AtomicU64);

impl Entropy for CountedEntropy {
    fn fill(&self, buffer: &mut [u8]) {
        for chunk in buffer.chunks_mut(8) {
            // SplitMix64.
            let mut word = self.0.fetch_add(1, Ordering::SeqCst);
            word = word.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^= word >> 31;
            chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
        }
    }
}

/// Entropy that fills every byte with the same value. With zero there is no jitter.
pub struct FixedEntropy(pub u8);

impl Entropy for FixedEntropy {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(self.0);
    }
}

/// App, country and provider of an event; empty if it has none.
pub type OwnedLabels = [String; 3];

/// Metrics that record events.
#[derive(Default)]
pub struct KeptMetrics {
    /// The events that were counted, each with its labels.
    pub counted: Mutex<Vec<(&'static str, OwnedLabels)>>,
}

impl KeptMetrics {
    /// Returns the events counted since the last call.
    pub fn take(&self) -> Vec<&'static str> {
        let counted = std::mem::take(&mut *locked(&self.counted));
        counted.into_iter().map(|(name, _)| name).collect()
    }

    /// Returns the labels of an event, each time that it was counted.
    #[must_use]
    pub fn labels(&self, name: &str) -> Vec<OwnedLabels> {
        let counted = locked(&self.counted);
        let named = counted.iter().filter(|(counted, _)| *counted == name);
        named.map(|(_, labels)| labels.clone()).collect()
    }
}

impl Metrics for KeptMetrics {
    fn count(&self, event: &Event, labels: Labels<'_>) {
        let owned = [
            labels.app.map(ToString::to_string),
            labels.country.map(|country| country.to_string()),
            labels.provider.map(str::to_owned),
        ];
        let counted = (event.name(), owned.map(Option::unwrap_or_default));
        locked(&self.counted).push(counted);
    }
}

/// Metrics of no interest to the test.
pub struct Uncounted;

impl Metrics for Uncounted {
    fn count(&self, _: &Event, _: Labels<'_>) {}
}

/// A queue that only the test reads.
#[derive(Default)]
pub struct KeptQueue {
    /// The pointers, each with its delay.
    pub waiting: Mutex<VecDeque<(DeliveryPointer, Duration)>>,
    /// True if every call fails.
    pub broken: AtomicBool,
}

impl KeptQueue {
    #[must_use]
    pub fn broken() -> Self {
        Self {
            broken: true.into(),
            ..Self::default()
        }
    }

    /// Returns the pointers enqueued since the last call.
    pub fn take(&self) -> Vec<(DeliveryPointer, Duration)> {
        std::mem::take(&mut *locked(&self.waiting)).into()
    }
}

#[async_trait]
impl DeliveryQueue for KeptQueue {
    async fn enqueue(
        &self,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<Enqueued, Unavailable> {
        works("queue", &self.broken)?;
        locked(&self.waiting).push_back((pointer, delay));
        Ok(Enqueued::Waiting)
    }
}

/// Connections that record how often each was notified.
#[derive(Default)]
pub struct KeptPush {
    /// The connections, one for each notification.
    pub notified: Mutex<Vec<WatcherId>>,
    /// The connections that are closed.
    pub gone: Mutex<BTreeSet<WatcherId>>,
    /// True if every call fails.
    pub broken: AtomicBool,
}

impl KeptPush {
    /// Returns the number of notifications since the last call.
    pub fn take(&self) -> usize {
        std::mem::take(&mut *locked(&self.notified)).len()
    }
}

#[async_trait]
impl Push for KeptPush {
    async fn notify(&self, watcher: &WatcherId) -> Result<NotifyOutcome, Unavailable> {
        works("push", &self.broken)?;
        if locked(&self.gone).contains(watcher) {
            return Ok(NotifyOutcome::Gone);
        }
        locked(&self.notified).push(watcher.clone());
        Ok(NotifyOutcome::Sent)
    }
}

/// A signer whose "signature" is the digest, so that tests can see what was signed.
#[derive(Default)]
pub struct DigestSigner {
    /// Number of times that the key was replaced.
    pub generation: AtomicU8,
    /// Number of signatures.
    pub signed: AtomicU64,
    /// True if every call fails.
    pub broken: AtomicBool,
}

impl DigestSigner {
    #[must_use]
    pub fn broken() -> Self {
        Self {
            broken: true.into(),
            ..Self::default()
        }
    }

    fn key(&self) -> PublicKey {
        let mut der = vec![
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06,
            0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ];
        der.extend([self.generation.load(Ordering::SeqCst); 64]);
        PublicKey::from_spki_der(&der).expect("the form of a public key")
    }
}

#[async_trait]
impl Signer for DigestSigner {
    async fn sign(&self, digest: &[u8; 32]) -> Result<Signature, Unavailable> {
        works("signer", &self.broken)?;
        self.signed.fetch_add(1, Ordering::SeqCst);
        Ok(Signature {
            der: digest.to_vec(),
            key_id: self.key().key_id(),
        })
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        works("signer", &self.broken)?;
        Ok(vec![self.key()])
    }
}

/// A receiver of webhooks that gives the prepared answers, then 204.
#[derive(Default)]
pub struct PreparedReceiver {
    /// The prepared answers.
    pub answers: Mutex<VecDeque<SendOutcome>>,
    /// The webhooks that arrived.
    pub arrived: Mutex<Vec<WebhookRequest>>,
}

impl PreparedReceiver {
    /// Prepares the next answers.
    pub fn will_answer(&self, answers: impl IntoIterator<Item = SendOutcome>) {
        locked(&self.answers).extend(answers);
    }

    /// Returns the webhooks that arrived.
    #[must_use]
    pub fn arrived(&self) -> Vec<WebhookRequest> {
        locked(&self.arrived).clone()
    }
}

#[async_trait]
impl WebhookSender for PreparedReceiver {
    async fn send(&self, _: &CallbackUrl, request: &WebhookRequest) -> SendOutcome {
        locked(&self.arrived).push(request.clone());
        let prepared = locked(&self.answers).pop_front();
        prepared.unwrap_or_else(|| status(204))
    }
}

/// Returns an answer with this status.
#[must_use]
pub const fn status(status: u16) -> SendOutcome {
    SendOutcome::Answered {
        status,
        retry_after: None,
        beginning: String::new(),
    }
}
