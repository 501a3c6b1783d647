//! Protection against jumps of the wall clock.
//!
//! The wall clock may be set, by mistake or maliciously; the time since boot cannot, so it shows
//! how much time has actually passed. A wall clock that agrees with the time since boot is trusted.
//! A clock that suddenly jumps ahead is trusted only after it has stayed ahead for [`SETTLING`], so
//! that a jump that is soon corrected never affects timestamps, retries or deletions. A clock that
//! goes back is trusted immediately, because that loses nothing.

use std::time::Duration;

use crate::primitives::time::Timestamp;

/// Maximum difference between the progress of the two clocks from one reading to the next that
/// still counts as agreement: more than the effect of slewing, and more than the time between the
/// two readings.
pub const TOLERANCE: Duration = Duration::from_mins(1);

/// Time that a wall clock must stay ahead before it is trusted: longer than an obvious mistake
/// lasts, but shorter than people would wait for a machine whose wrong clock was corrected.
pub const SETTLING: Duration = Duration::from_mins(15);

/// A filter that decides which readings of the wall clock are trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockGuard {
    /// The last trusted time, and the time since boot at that moment.
    believed: Timestamp,
    at: Duration,
    /// The time since boot when the wall clock was first seen ahead.
    ahead_since: Option<Duration>,
}

/// The result of a reading of both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockVerdict {
    /// The wall clock is trusted: it agrees, has gone back, or has stayed ahead long enough.
    Wall(Timestamp),
    /// The wall clock is ahead and not trusted.
    Ahead {
        /// The time calculated from the time since boot.
        believed: Timestamp,
        /// The time by which the wall clock is ahead of `believed`.
        by: Duration,
    },
}

impl ClockVerdict {
    /// Returns the trusted time.
    #[must_use]
    pub const fn now(self) -> Timestamp {
        match self {
            Self::Wall(now) | Self::Ahead { believed: now, .. } => now,
        }
    }
}

impl ClockGuard {
    /// Creates a guard that trusts the first reading of the wall clock.
    #[must_use]
    pub const fn new(wall: Timestamp, since_boot: Duration) -> Self {
        Self {
            believed: wall,
            at: since_boot,
            ahead_since: None,
        }
    }

    /// Evaluates a reading of both clocks.
    pub fn look(&mut self, wall: Timestamp, since_boot: Duration) -> ClockVerdict {
        let expected = self.believed.plus(since_boot.saturating_sub(self.at));
        let by = wall.since(expected);
        if by > TOLERANCE {
            let since = *self.ahead_since.get_or_insert(since_boot);
            if since_boot.saturating_sub(since) < SETTLING {
                return ClockVerdict::Ahead {
                    believed: expected,
                    by,
                };
            }
        }
        *self = Self::new(wall, since_boot);
        ClockVerdict::Wall(wall)
    }
}

/// Advances a clock that never jumps ahead: in `elapsed`, it moves by at most twice that time until
/// it has caught up with the wall clock, and it never passes the wall clock.
///
/// An item removed by this clock has lived for at least half of its lifetime; a store that needs a
/// full lifetime MUST keep items twice as long. After the wall clock was correctly set ahead or the
/// machine was off, the clock lags for as long as that jump; items are then kept a little longer.
#[must_use]
pub fn steady(reading: Timestamp, elapsed: Duration, wall: Timestamp) -> Timestamp {
    reading.plus(elapsed.saturating_mul(2)).min(wall)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp::from_millis(1_767_268_800_000);
    const DAY: Duration = Duration::from_hours(24);

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn agreeing_wall_clock_is_followed() {
        let mut guard = ClockGuard::new(NOON, secs(100));
        for n in 1..100 {
            let wall = NOON.plus(secs(61 * n));
            assert_eq!(
                guard.look(wall, secs(100 + 60 * n)),
                ClockVerdict::Wall(wall)
            );
        }
    }

    #[test]
    fn corrected_jump_ahead_is_never_trusted() {
        let mut guard = ClockGuard::new(NOON, secs(100));
        for n in 1..=75 {
            let belief = guard.look(NOON.plus(20 * DAY + secs(n)), secs(100 + n));
            let believed = NOON.plus(secs(n));
            assert_eq!(
                belief,
                ClockVerdict::Ahead {
                    believed,
                    by: 20 * DAY
                }
            );
        }
        let wall = NOON.plus(secs(76));
        assert_eq!(guard.look(wall, secs(176)), ClockVerdict::Wall(wall));
        // A second jump must last as long as the first would have had to.
        let ahead = guard.look(wall.plus(DAY), secs(176) + SETTLING);
        assert!(matches!(ahead, ClockVerdict::Ahead { .. }));
    }

    #[test]
    fn lasting_jump_ahead_is_trusted_in_the_end() {
        let mut guard = ClockGuard::new(NOON, secs(0));
        let look = |guard: &mut ClockGuard, after| guard.look(NOON.plus(DAY + after), after);
        assert!(matches!(
            look(&mut guard, secs(1)),
            ClockVerdict::Ahead { .. }
        ));
        let later = secs(1) + SETTLING;
        let before = look(&mut guard, later.saturating_sub(secs(1)));
        assert_eq!(before.now(), NOON.plus(SETTLING));
        let wall = NOON.plus(DAY + later);
        assert_eq!(look(&mut guard, later), ClockVerdict::Wall(wall));
        assert_eq!(look(&mut guard, later + secs(1)).now(), wall.plus(secs(1)));
    }

    #[test]
    fn clock_that_goes_back_is_trusted_immediately() {
        let mut guard = ClockGuard::new(NOON.plus(DAY), secs(0));
        assert_eq!(guard.look(NOON, secs(1)), ClockVerdict::Wall(NOON));
    }

    #[test]
    fn suspended_machine_does_not_jump() {
        let mut guard = ClockGuard::new(NOON, secs(0));
        let wall = NOON.plus(3 * DAY);
        assert_eq!(guard.look(wall, 3 * DAY), ClockVerdict::Wall(wall));
    }

    #[test]
    fn steady_clock_never_jumps_ahead_nor_passes_the_wall_clock() {
        let ahead = NOON.plus(20 * DAY);
        assert_eq!(steady(NOON, secs(75), ahead), NOON.plus(secs(150)));
        assert_eq!(steady(ahead, secs(75), NOON), NOON);
        assert_eq!(
            steady(NOON, secs(60), NOON.plus(secs(60))),
            NOON.plus(secs(60))
        );
        assert_eq!(steady(NOON, secs(0), ahead), NOON, "a start tells nothing");
    }
}
