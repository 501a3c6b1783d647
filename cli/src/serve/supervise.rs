//! Tasks that run for the server's lifetime.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;

/// Pause before restarting a task that panicked.
const RESTART_PAUSE: Duration = Duration::from_secs(1);

/// Runs a task until it returns, and restarts it whenever it panics.
pub(super) async fn keep_running<F: Future<Output = ()>>(
    name: &'static str,
    mut task: impl FnMut() -> F,
) {
    // Interrupted work is found in the store within a minute, or at the next start.
    while AssertUnwindSafe(async { task().await })
        .catch_unwind()
        .await
        .is_err()
    {
        tracing::error!(task = name, "a task panicked and restarts");
        tokio::time::sleep(RESTART_PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn panicking_task_restarts() {
        let starts = Cell::new(0);
        keep_running("test", || {
            starts.set(starts.get() + 1);
            let start = starts.get();
            async move { assert!(start >= 3, "the first two starts panic") }
        })
        .await;
        assert_eq!(starts.get(), 3);
    }
}
