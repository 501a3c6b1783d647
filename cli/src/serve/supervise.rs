//! Tasks that have to run for as long as the server does.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;

/// How long a task that panicked rests before it starts again.
const RESTART_PAUSE: Duration = Duration::from_secs(1);

/// Runs a task until it ends by itself, and starts it again whenever it panics.
pub(super) async fn keep_running<F: Future<Output = ()>>(
    name: &'static str,
    mut task: impl FnMut() -> F,
) {
    // What a panic leaves half done in memory, the next start or the sweep finds in the store.
    while AssertUnwindSafe(async { task().await })
        .catch_unwind()
        .await
        .is_err()
    {
        tracing::error!(task = name, "a task panicked; it starts again");
        tokio::time::sleep(RESTART_PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_task_that_panics_starts_again() {
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
