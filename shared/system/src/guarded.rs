//! The wall clock, checked against the time since boot.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use countersign_domain::primitives::clock_guard::{ClockGuard, ClockVerdict};
use countersign_domain::primitives::time::{Clock, Timestamp};
use rustix::time::{ClockId, clock_gettime};

use crate::clock::SystemClock;

/// Keeps counting while the machine is suspended.
#[cfg(any(target_os = "linux", target_os = "android"))]
const SINCE_BOOT: ClockId = ClockId::Boottime;
/// The best clock on other systems.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const SINCE_BOOT: ClockId = ClockId::Monotonic;

/// Returns the time since the machine was booted. It is independent of the wall clock, and includes the time for
/// which the machine was suspended if the operating system counts that.
#[must_use]
pub fn since_boot() -> Duration {
    let time = clock_gettime(SINCE_BOOT);
    let secs = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanos = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(secs, nanos)
}

/// The system's wall clock, whose forward jumps are not trusted immediately
/// ([`countersign_domain::primitives::clock_guard`]).
#[derive(Debug)]
pub struct GuardedClock(Mutex<ClockGuard>);

impl GuardedClock {
    /// Creates a clock that trusts the current wall clock.
    #[must_use]
    pub fn new() -> Self {
        let guard = ClockGuard::new(SystemClock.now(), since_boot());
        Self(Mutex::new(guard))
    }

    /// Compares the wall clock with the time since boot, and returns the result.
    #[must_use]
    pub fn look(&self) -> ClockVerdict {
        // Code that holds the lock cannot panic in the middle of a change.
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        guard.look(SystemClock.now(), since_boot())
    }
}

impl Default for GuardedClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for GuardedClock {
    fn now(&self) -> Timestamp {
        self.look().now()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_since_boot_passes() {
        let first = since_boot();
        assert!(first > Duration::ZERO);
        assert!(since_boot() >= first);
    }
}
