//! A clock that advances when everything waits for it.

use std::sync::Mutex;
use std::task::Poll;
use std::time::Duration;

use async_trait::async_trait;
use countersign_sdk::Timer;

#[derive(Default)]
pub(crate) struct VirtualClock(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    now: Duration,
    /// The times for which futures wait.
    due: Vec<Duration>,
    /// True if something other than time progressed since the clock last advanced.
    moved: bool,
    slept: Vec<Duration>,
}

impl VirtualClock {
    pub(crate) fn since_boot(&self) -> Duration {
        self.0.lock().unwrap().now
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.0.lock().unwrap().now += by;
    }

    /// Returns the completed waits, in order.
    pub(crate) fn slept(&self) -> Vec<Duration> {
        self.0.lock().unwrap().slept.clone()
    }

    /// Records that a process waits for something other than time.
    pub(crate) fn moved(&self) {
        self.0.lock().unwrap().moved = true;
    }

    /// Advances to the next time for which something waits, unless something else progressed.
    pub(super) fn pass(&self) {
        let mut inner = self.0.lock().unwrap();
        if !std::mem::take(&mut inner.moved) {
            let next = inner.due.iter().min().copied();
            inner.now = inner.now.max(next.expect("a process waits for ever"));
        }
    }
}

/// Removes a wait that completed or was abandoned.
struct Due<'a>(&'a VirtualClock, Duration);

impl Drop for Due<'_> {
    fn drop(&mut self) {
        let mut inner = self.0.0.lock().unwrap();
        let index = inner.due.iter().position(|due| *due == self.1).unwrap();
        inner.due.swap_remove(index);
    }
}

#[async_trait]
impl Timer for VirtualClock {
    // sleep: of the virtual clock, which takes no time.
    async fn sleep(&self, millis: u64) {
        let duration = Duration::from_millis(millis);
        let at = self.since_boot() + duration;
        self.0.lock().unwrap().due.push(at);
        let _due = Due(self, at);
        std::future::poll_fn(|_| {
            if self.since_boot() < at {
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
        self.0.lock().unwrap().slept.push(duration);
    }
}
