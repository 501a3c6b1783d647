//! Events that a task can wait for: a time, an answer, the death of a process, or all other tasks.

use std::cmp::{Ordering, Reverse};
use std::future::poll_fn;
use std::task::{Poll, Waker};
use std::time::Duration;

use countersign_domain::primitives::time::Timestamp;

use super::{ProcessId, Shared, Sim};

/// A task that waits for a time. The heap has the earliest timer on top; timers with equal times keep
/// their order.
pub(super) struct Timer {
    pub(super) at: Timestamp,
    number: u64,
    pub(super) waker: Waker,
}

impl Timer {
    const fn key(&self) -> Reverse<(Timestamp, u64)> {
        Reverse((self.at, self.number))
    }
}

impl PartialEq for Timer {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Timer {}

impl PartialOrd for Timer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timer {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Sim {
    /// Waits for this duration.
    pub async fn pass(&self, time: Duration) {
        self.pass_until(self.now().plus(time)).await;
    }

    /// Waits until a time. Other tasks get a turn even if the time has already passed.
    pub async fn pass_until(&self, at: Timestamp) {
        let mut set = false;
        poll_fn(|context| {
            if set && at <= self.now() {
                return Poll::Ready(());
            }
            if !set {
                set = true;
                self.wake_at(at, context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }

    /// Wakes a task at a time.
    pub(crate) fn wake_at(&self, at: Timestamp, waker: Waker) {
        self.0.with(|state| {
            state.timers_set += 1;
            let number = state.timers_set;
            state.timers.push(Timer { at, number, waker });
        });
    }

    /// Waits until every other task waits, and returns the next time at which one continues.
    pub async fn others_wait(&self) -> Option<Timestamp> {
        let mut asked = false;
        poll_fn(|context| {
            if asked {
                let next = self
                    .0
                    .with(|state| state.timers.peek().map(|timer| timer.at));
                return Poll::Ready(next);
            }
            asked = true;
            let waker = context.waker().clone();
            self.0.with(|state| state.idle.push(waker));
            Poll::Pending
        })
        .await
    }

    /// Waits until a process is dead.
    pub async fn death_of(&self, process: ProcessId) {
        poll_fn(|context| {
            self.0.with(|state| {
                let process = &mut state.processes[process.0];
                if !process.alive {
                    return Poll::Ready(());
                }
                process.death_wakers.push(context.waker().clone());
                Poll::Pending
            })
        })
        .await;
    }
}

struct Slot<T> {
    value: Option<T>,
    gone: bool,
    waiting: Option<Waker>,
}

/// The receiver of one answer.
pub struct Reply<T>(Shared<Slot<T>>);

/// The sender of one answer. If it is dropped without sending because its process died, the receiver
/// finds out that no answer will come.
pub struct Replying<T>(Shared<Slot<T>>);

/// Creates the sender and the receiver of one answer.
#[must_use]
pub fn reply<T>() -> (Replying<T>, Reply<T>) {
    let slot = Shared::new(Slot {
        value: None,
        gone: false,
        waiting: None,
    });
    (Replying(slot.clone()), Reply(slot))
}

impl<T> Replying<T> {
    /// Sends the answer.
    pub fn send(self, value: T) {
        self.0.with(|slot| slot.value = Some(value));
    }
}

impl<T> Drop for Replying<T> {
    fn drop(&mut self) {
        let waiting = self.0.with(|slot| {
            slot.gone = true;
            slot.waiting.take()
        });
        if let Some(waker) = waiting {
            waker.wake();
        }
    }
}

impl<T> Reply<T> {
    /// Returns whether the answer has arrived or will never arrive.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.0.with(|slot| slot.value.is_some() || slot.gone)
    }

    /// Waits for the answer until `deadline`. Returns `None` if no answer came by then.
    pub async fn wait(self, sim: &Sim, deadline: Timestamp) -> Option<T> {
        let mut set = false;
        poll_fn(|context| {
            self.0
                .with(|slot| slot.waiting = Some(context.waker().clone()));
            if self.is_settled() || deadline <= sim.now() {
                return Poll::Ready(());
            }
            if !set {
                set = true;
                sim.wake_at(deadline, context.waker().clone());
            }
            Poll::Pending
        })
        .await;
        self.0.with(|slot| slot.value.take())
    }
}
