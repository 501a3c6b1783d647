//! The queue within one process, fair between receivers.
//!
//! Pointers wait in memory only: what is lost with the process, or does not fit, is found by the
//! store's recovery and by the sweep. An app's webhooks of one kind form a lane, and within it those
//! to one origin a group. Lanes take turns, then the groups of a lane, and each may have only so
//! much waiting and under way ([`Limits`]): a receiver that hangs, drips or is down delays its own
//! group, and however many such receivers an app has, they delay no other app.

mod attempts;
mod fair;
mod lane;
mod limits;

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::delivery::queue::{DeliveryQueue, Enqueued, Room};
use countersign_domain::delivery::{DeliveryLane, DeliveryPointer, DeliverySubject};
use countersign_domain::primitives::unavailable::Unavailable;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;

use fair::Fair;
pub use limits::{Health, Limits};

/// The queue. Clones are the same queue.
#[derive(Clone)]
pub struct LocalQueue {
    shared: Arc<Shared>,
}

struct Shared {
    waiting: Mutex<Fair>,
    /// Rung when there may be something to start, or when the queue was closed.
    bell: Notify,
    /// Rung when a lane that left something to the sweep has room again.
    refill: Notify,
}

impl LocalQueue {
    /// An empty queue.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let shared = Shared {
            waiting: Mutex::new(Fair::new(limits)),
            bell: Notify::new(),
            refill: Notify::new(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Hands every pointer to `make_attempt` when its time has come and its group has room, until
    /// the queue is closed and what is under way has ended.
    ///
    /// What `make_attempt` answers tells whether the group's receiver is well.
    pub async fn run<F, A>(&self, make_attempt: F)
    where
        F: Fn(DeliveryPointer) -> A,
        A: Future<Output = Health> + Send + 'static,
    {
        let mut under_way = JoinSet::new();
        loop {
            let next_at = loop {
                let mut waiting = self.waiting();
                if waiting.is_closed() {
                    break None;
                }
                let Some(pointer) = waiting.start(Instant::now()) else {
                    break waiting.next_at();
                };
                let refill = waiting.takes_refill();
                drop(waiting);
                if refill {
                    self.shared.refill.notify_one();
                }
                let attempt = make_attempt(pointer);
                let shared = Arc::clone(&self.shared);
                under_way.spawn(async move {
                    // Ended by its drop, so that an attempt that panics gives its room back too.
                    let mut ended = Ended {
                        shared,
                        pointer,
                        health: Health::Ill,
                    };
                    ended.health = attempt.await;
                });
            };
            if self.waiting().is_closed() {
                break;
            }
            tokio::select! {
                () = self.shared.bell.notified() => {}
                () = sleep_until(next_at) => {}
                Some(_) = under_way.join_next() => {}
            }
        }
        while under_way.join_next().await.is_some() {}
    }

    /// Starts nothing more. [`Self::run`] returns when what is under way has ended.
    pub fn close(&self) {
        self.waiting().close();
        self.shared.bell.notify_one();
    }

    /// How many pointers are waiting or under way.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.waiting().depth()
    }

    /// Waits until a lane of which something was left to the sweep is half empty: a sweep then
    /// brings more, and need not wait for its minute.
    pub async fn wants_refill(&self) {
        self.shared.refill.notified().await;
    }

    /// Whether an attempt of that delivery is under way in this process.
    #[must_use]
    pub fn is_under_way(&self, subject: DeliverySubject) -> bool {
        self.waiting().is_under_way(subject)
    }

    fn waiting(&self) -> MutexGuard<'_, Fair> {
        self.shared.lock()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Fair> {
        // Nothing that holds the lock can panic half-way through a change.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Gives an attempt's room back.
struct Ended {
    shared: Arc<Shared>,
    pointer: DeliveryPointer,
    health: Health,
}

impl Drop for Ended {
    fn drop(&mut self) {
        self.shared.lock().end(&self.pointer, self.health);
        self.shared.bell.notify_one();
    }
}

#[async_trait]
impl DeliveryQueue for LocalQueue {
    async fn enqueue(
        &self,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<Enqueued, Unavailable> {
        let enqueued = self.waiting().put(pointer, Instant::now() + delay);
        self.shared.bell.notify_one();
        Ok(enqueued)
    }

    fn room_for(&self, lane: DeliveryLane, subject: DeliverySubject) -> Room {
        self.waiting().room_for(lane, subject)
    }
}

#[cfg(test)]
mod tests;
