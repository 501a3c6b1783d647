//! The port of the timer.

use std::time::Duration;

use async_trait::async_trait;

/// Waits.
#[async_trait]
pub trait Timer: Send + Sync {
    /// Returns after this time. The future may be dropped before.
    async fn sleep(&self, duration: Duration);
}
