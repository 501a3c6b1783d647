//! The delivery queue of one process, fair between apps and between receivers.
//!
//! Pointers wait only in memory. The store's recovery and the sweep find deliveries whose pointers
//! were lost with the process or did not fit. An app's webhooks of one kind form a lane, and those of a
//! lane to one origin a group. Lanes take turns, then the groups of a lane, and [`Limits`] bounds what
//! each may have waiting and under way. A receiver that hangs, answers slowly or is down delays only its
//! own group, and an app with many such receivers delays no other app.

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

/// The queue. Clones share it.
#[derive(Clone)]
pub struct LocalQueue {
    shared: Arc<Shared>,
}

struct Shared {
    waiting: Mutex<Fair>,
    /// Notified when an attempt may be ready to start, or when the queue was closed.
    bell: Notify,
    /// Notified when a lane that left pointers to the sweep has room again.
    refill: Notify,
}

impl LocalQueue {
    /// Creates an empty queue.
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

    /// Passes each pointer to `make_attempt` once it is due and its group has room. Returns when the
    /// queue is closed and the attempts under way have ended.
    ///
    /// `make_attempt` returns whether the group's receiver is well.
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
                // Dropping it frees the room, even if the attempt panics or never begins.
                let ended = Ended {
                    shared: Arc::clone(&self.shared),
                    pointer,
                    health: Health::Ill,
                };
                let attempt = make_attempt(pointer);
                under_way.spawn(async move { ended.with(attempt.await) });
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

    /// Stops starting attempts. [`Self::run`] returns when those under way have ended.
    pub fn close(&self) {
        self.waiting().close();
        self.shared.bell.notify_one();
    }

    /// Returns the number of pointers that are waiting or under way.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.waiting().depth()
    }

    /// Waits until a lane that left pointers to the sweep is half empty, so that the next sweep can run
    /// at once.
    pub async fn wants_refill(&self) {
        self.shared.refill.notified().await;
    }

    /// Returns whether this process is making an attempt for a delivery.
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
        // No code panics half-way through a change while it holds the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// A guard that frees an attempt's room when it is dropped.
struct Ended {
    shared: Arc<Shared>,
    pointer: DeliveryPointer,
    health: Health,
}

impl Ended {
    /// Frees the room of an attempt that has said whether its receiver is well. Takes the whole guard,
    /// so that a task which calls it holds the guard from the start.
    fn with(mut self, health: Health) {
        self.health = health;
    }
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
