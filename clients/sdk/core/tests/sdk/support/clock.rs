//! A clock that moves when everything waits for it.

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
    /// When the futures that wait are due.
    due: Vec<Duration>,
    /// True if something else than time moved since the clock last did.
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

    /// Returns the waits that ended, in order.
    pub(crate) fn slept(&self) -> Vec<Duration> {
        self.0.lock().unwrap().slept.clone()
    }

    /// Notes that a process waits for something else than time.
    pub(crate) fn moved(&self) {
        self.0.lock().unwrap().moved = true;
    }

    /// Goes on to the next time that something waits for, unless something else moved.
    pub(super) fn pass(&self) {
        let mut inner = self.0.lock().unwrap();
        if !std::mem::take(&mut inner.moved) {
            let next = inner.due.iter().min().copied();
            inner.now = inner.now.max(next.expect("a process waits for ever"));
        }
    }
}

/// Removes a wait that ended or was given up.
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
