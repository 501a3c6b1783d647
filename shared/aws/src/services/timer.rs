//! One timer for the limits of all calls.
//!
//! Each call of a service has several limits, set in falling order, which it almost never reaches.
//! Every timer that is to fire before all others wakes the runtime's driver with two system calls. Here
//! one timer is set, for a limit of an earlier call; when it fires, it is set again if a limit still
//! stands.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use aws_smithy_async::rt::sleep::{AsyncSleep, Sleep};
use tokio::time::{Instant, sleep_until};

/// Sleeps that share a timer. Clones share it too.
#[derive(Clone, Default)]
pub(super) struct SharedTimer(Arc<Mutex<Timer>>);

#[derive(Default)]
struct Timer {
    /// When the timer fires, if it is set.
    fires_at: Option<Instant>,
    /// Those who sleep, by the end of their sleep.
    sleepers: BTreeMap<SleeperId, Waker>,
    last_id: u64,
}

/// The end of a sleep, and a number that tells sleepers apart.
type SleeperId = (Instant, u64);

impl SharedTimer {
    fn timer(&self) -> MutexGuard<'_, Timer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the timer, unless it fires early enough as it is.
    fn set(&self, timer: &mut Timer, at: Instant) {
        if timer.fires_at.is_some_and(|fires_at| fires_at <= at) {
            return;
        }
        timer.fires_at = Some(at);
        let shared = self.clone();
        // A task that an earlier one replaced fires without effect.
        tokio::spawn(async move {
            sleep_until(at).await;
            shared.fire(at);
        });
    }

    /// Wakes those whose sleep is over, and sets the timer for the next one.
    fn fire(&self, at: Instant) {
        let mut timer = self.timer();
        if timer.fires_at != Some(at) {
            return;
        }
        timer.fires_at = None;
        let waiting = timer.sleepers.split_off(&(at, u64::MAX));
        let awake = std::mem::replace(&mut timer.sleepers, waiting);
        let next = timer.sleepers.keys().next().map(|(next, _)| *next);
        if let Some(next) = next {
            self.set(&mut timer, next);
        }
        drop(timer);
        awake.into_values().for_each(Waker::wake);
    }
}

impl AsyncSleep for SharedTimer {
    fn sleep(&self, duration: Duration) -> Sleep {
        let mut timer = self.timer();
        timer.last_id += 1;
        let id = (Instant::now() + duration, timer.last_id);
        drop(timer);
        let shared = self.clone();
        Sleep::new(Sleeper { shared, id })
    }
}

impl fmt::Debug for SharedTimer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedTimer")
    }
}

/// A sleep.
struct Sleeper {
    shared: SharedTimer,
    id: SleeperId,
}

impl Future for Sleeper {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let (end, _) = self.id;
        if Instant::now() >= end {
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        let mut timer = self.shared.timer();
        let former = timer.sleepers.insert(self.id, waker);
        self.shared.set(&mut timer, end);
        drop(timer);
        // Not while the timer is locked: a waker may hold the last of a task, with its sleeps.
        drop(former);
        Poll::Pending
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let waker = self.shared.timer().sleepers.remove(&self.id);
        // The lock is free again. See `poll`.
        drop(waker);
    }
}
