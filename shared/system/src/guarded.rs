//! The wall clock, checked against the time since boot.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use countersign_domain::primitives::clock_guard::{Belief, ClockGuard};
use countersign_domain::primitives::time::{BootTime, Clock, Timestamp};
use rustix::time::{ClockId, clock_gettime};

/// The time since boot, as the operating system counts it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemBootTime;

/// Keeps counting while the machine is suspended.
#[cfg(any(target_os = "linux", target_os = "android"))]
const SINCE_BOOT: ClockId = ClockId::Boottime;
/// The best that other systems have.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const SINCE_BOOT: ClockId = ClockId::Monotonic;

impl BootTime for SystemBootTime {
    fn since_boot(&self) -> Duration {
        let time = clock_gettime(SINCE_BOOT);
        let secs = u64::try_from(time.tv_sec).unwrap_or_default();
        let nanos = u32::try_from(time.tv_nsec).unwrap_or_default();
        Duration::new(secs, nanos)
    }
}

/// A wall clock whose jumps ahead are not believed immediately
/// ([`countersign_domain::primitives::clock_guard`]).
#[derive(Debug)]
pub struct GuardedClock<W, B> {
    wall: W,
    boot: B,
    guard: Mutex<ClockGuard>,
}

impl<W: Clock, B: BootTime> GuardedClock<W, B> {
    /// Creates a clock that believes the wall clock as it is now.
    #[must_use]
    pub fn new(wall: W, boot: B) -> Self {
        let guard = ClockGuard::new(wall.now(), boot.since_boot());
        Self {
            wall,
            boot,
            guard: Mutex::new(guard),
        }
    }

    /// Compares both clocks and returns the result.
    #[must_use]
    pub fn look(&self) -> Belief {
        // Code that holds the lock cannot panic in the middle of a change.
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        guard.look(self.wall.now(), self.boot.since_boot())
    }

    /// Returns the time since the machine was started.
    #[must_use]
    pub fn since_boot(&self) -> Duration {
        self.boot.since_boot()
    }
}

impl<W: Clock, B: BootTime> Clock for GuardedClock<W, B> {
    fn now(&self) -> Timestamp {
        self.look().now()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_since_boot_passes() {
        let first = SystemBootTime.since_boot();
        assert!(first > Duration::ZERO);
        assert!(SystemBootTime.since_boot() >= first);
    }
}
