//! The platform of simulated phones. Each phone has a separate secret for its own lifetime, so that
//! no two are the same phone.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::primitives::time::Clock;
use countersign_sdk::memory::{MemoryAnswers, MemorySecrets};
use countersign_sdk::{AssociationKeys, Entropy, Http, Platform, Timer};
use countersign_system::guarded::since_boot;

pub(crate) fn new_phone(
    http: Arc<dyn Http>,
    keys: Arc<dyn AssociationKeys>,
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
) -> Platform {
    Platform {
        http,
        timer: Arc::new(TokioTimer),
        secrets: Arc::new(MemorySecrets::default()),
        answers: Arc::new(MemoryAnswers::default()),
        keys,
        since_boot: Arc::new(since_boot),
        wall_clock: clock,
        entropy,
    }
}

struct TokioTimer;

#[async_trait]
impl Timer for TokioTimer {
    async fn sleep(&self, millis: u64) {
        tokio::time::sleep(Duration::from_millis(millis)).await;
    }
}
