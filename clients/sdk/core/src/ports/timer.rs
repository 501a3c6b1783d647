//! The port of the timer.

use async_trait::async_trait;

/// Waits.
#[cfg_attr(feature = "uniffi", uniffi::export(with_foreign))]
#[async_trait]
pub trait Timer: Send + Sync {
    /// Returns after this time, in milliseconds. The future may be dropped earlier.
    async fn sleep(&self, millis: u64);
}
