//! The delivery queue of one process, fair between apps and between receivers.
//!
//! The store's index of pending webhooks is the queue. The attempts in flight are in memory, and for each
//! receiver the next attempt, if there is room ([`Limits`]). An app's webhooks of one kind form a lane, and
//! a lane's webhooks to one origin form a group. Lanes take turns, then the groups within a lane, and the
//! limits bound how many attempts each may have in flight. A receiver that hangs, responds slowly or is
//! down delays only its own group, and an app with many such receivers delays no other app.

mod fair_queue;
mod lane;
mod limits;

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::delivery::DeliveryPointer;
use countersign_domain::delivery::due::{NextAttempt, PendingIndex};
use countersign_domain::delivery::queue::{DeliveryQueue, Enqueued};
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::primitives::unavailable::Unavailable;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use fair_queue::FairQueue;
pub use limits::{AttemptEnd, Limits};

/// Interval between passes through the whole index, which find webhooks that were never enqueued.
const LIST_INTERVAL: Duration = Duration::from_mins(1);

/// The delivery queue. Clones share the queue.
#[derive(Clone)]
pub struct LocalQueue {
    shared: Arc<Shared>,
}

struct Shared {
    waiting: Mutex<FairQueue>,
    clock: Arc<dyn Clock>,
    /// Notified when an attempt may be ready to start, or when the queue was closed.
    bell: Notify,
}

impl LocalQueue {
    /// Creates an empty queue. Times in the index are based on this clock.
    #[must_use]
    pub fn new(limits: Limits, clock: Arc<dyn Clock>) -> Self {
        let shared = Shared {
            waiting: Mutex::new(FairQueue::new(limits)),
            clock,
            bell: Notify::new(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Passes a pointer to `make_attempt` for each attempt of the index once it is due and its group has
    /// room. Returns when the queue is closed and the attempts in flight have ended.
    pub async fn run<F, A>(&self, index: &dyn PendingIndex, make_attempt: F)
    where
        F: Fn(DeliveryPointer) -> A,
        A: Future<Output = AttemptEnd> + Send + 'static,
    {
        let clock = &self.shared.clock;
        let mut under_way = JoinSet::new();
        let mut list = tokio::time::interval(LIST_INTERVAL);
        list.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut listing = None;
        'open: loop {
            let next_at = loop {
                let mut waiting = self.waiting();
                if waiting.is_closed() {
                    break 'open;
                }
                let Some(pointer) = waiting.start(index, clock.now()) else {
                    listing = listing.or_else(|| waiting.takes_refill().map(Some));
                    break waiting.next_at();
                };
                drop(waiting);
                // Dropping the guard frees the room, even if the attempt panics or never begins.
                let guard = Guard {
                    shared: Arc::clone(&self.shared),
                    pointer,
                    ended: AttemptEnd::Unsettled,
                };
                let attempt = make_attempt(pointer);
                under_way.spawn(async move { guard.end(attempt.await) });
            };
            tokio::select! {
                () = self.shared.bell.notified() => {}
                () = sleep_until(next_at, clock.as_ref()) => {}
                Some(_) = under_way.join_next() => {}
                _ = list.tick() => listing = listing.or(Some(None)),
                // Yields between pages, so that attempts need not wait.
                () = tokio::task::yield_now(), if listing.is_some() => {
                    let after = listing.take().flatten();
                    listing = self.waiting().list(index, clock.now(), after).map(Some);
                }
            }
        }
        while under_way.join_next().await.is_some() {}
    }

    /// Stops starting attempts. [`Self::run`] returns when the attempts in flight have ended.
    pub fn close(&self) {
        self.waiting().close();
        self.shared.bell.notify_one();
    }

    fn waiting(&self) -> MutexGuard<'_, FairQueue> {
        self.shared.lock()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, FairQueue> {
        // No code panics halfway through a change while it holds the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn sleep_until(at: Option<Timestamp>, clock: &dyn Clock) {
    match at {
        Some(at) => tokio::time::sleep(at.since(clock.now())).await,
        None => std::future::pending().await,
    }
}

/// A guard that frees an attempt's room when it is dropped.
struct Guard {
    shared: Arc<Shared>,
    pointer: DeliveryPointer,
    ended: AttemptEnd,
}

impl Guard {
    /// Frees the room of an attempt that has ended. Takes the whole guard, so that a task which calls
    /// this method holds the guard from the start.
    fn end(mut self, ended: AttemptEnd) {
        self.ended = ended;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let now = self.shared.clock.now();
        self.shared.lock().end(&self.pointer, self.ended, now);
        self.shared.bell.notify_one();
    }
}

#[async_trait]
impl DeliveryQueue for LocalQueue {
    /// The webhook must be in the index already.
    async fn enqueue(
        &self,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<Enqueued, Unavailable> {
        let now = self.shared.clock.now();
        let at = now.plus(delay);
        let enqueued = self.waiting().put(NextAttempt { at, pointer }, now);
        self.shared.bell.notify_one();
        Ok(enqueued)
    }
}

#[cfg(test)]
mod tests;
