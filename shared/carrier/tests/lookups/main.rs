//! Lookups: their bounds, on a paused clock, and Twilio's API on the wire.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "these are tests"
)]

mod bounds;
mod server;
mod twilio;
mod webhook;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use countersign_carrier::{CarrierSource, SourceError};
use countersign_conformance::ports::FixedEntropy;
use countersign_domain::confirmation::carrier::CarrierName;
use countersign_domain::primitives::phone::PhoneNumber;

/// Entropy that is always the same.
const FIXED: FixedEntropy = FixedEntropy(7);

fn number(n: u8) -> PhoneNumber {
    PhoneNumber::parse_e164(&format!("+120255501{n:02}")).unwrap()
}

/// A source that answers after a time, and counts calls.
struct Source {
    after: Mutex<Duration>,
    answer: Result<CarrierName, SourceError>,
    asked: AtomicUsize,
}

impl Source {
    fn new(after: Duration, answer: Result<&str, SourceError>) -> std::sync::Arc<Self> {
        std::sync::Arc::new(Self {
            after: Mutex::new(after),
            answer: answer.map(CarrierName::from_text),
            asked: AtomicUsize::new(0),
        })
    }

    fn set_delay(&self, after: Duration) {
        *self.after.lock().unwrap() = after;
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl CarrierSource for Source {
    async fn ask(&self, _: &PhoneNumber) -> Result<CarrierName, SourceError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let after = *self.after.lock().unwrap();
        // sleep: on the paused clock
        tokio::time::sleep(after).await;
        self.answer.clone()
    }
}
