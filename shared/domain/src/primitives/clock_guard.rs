//! Which time is believed where the wall clock jumps.
//!
//! The wall clock may be set, by mistake or by somebody. Time since boot cannot: it tells how much
//! has really passed. A wall clock that agrees with it is followed; one that is suddenly ahead is not
//! believed until it has stayed so for [`SETTLING`], so that a jump that is taken back has stamped,
//! retried and removed nothing. One that goes back is believed at once: nothing is lost by it.

use std::time::Duration;

use crate::primitives::time::Timestamp;

/// By how much the two may differ from look to look. More than a clock is slewed by, or two looks
/// are apart.
pub const TOLERANCE: Duration = Duration::from_mins(1);

/// How long a wall clock must stay ahead before it is believed: longer than anybody leaves a
/// mistake that everybody sees, and shorter than people wait for a machine whose clock was wrong
/// until it was set.
pub const SETTLING: Duration = Duration::from_mins(15);

/// What is known of the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockGuard {
    /// The time that was believed last, and the time since boot then.
    believed: Timestamp,
    at: Duration,
    /// The time since boot when the wall clock was first seen to be ahead.
    ahead_since: Option<Duration>,
}

/// What is made of a look at both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belief {
    /// They agree, or a jump ahead has stayed for so long that it is believed, or the clock went
    /// back.
    Wall(Timestamp),
    /// The wall clock is ahead, and is not believed.
    Ahead {
        /// What time it is by the time since boot.
        believed: Timestamp,
        /// By how much the wall clock is ahead of it.
        by: Duration,
    },
}

impl Belief {
    /// The time that is believed.
    #[must_use]
    pub const fn now(self) -> Timestamp {
        match self {
            Self::Wall(now) | Self::Ahead { believed: now, .. } => now,
        }
    }
}

impl ClockGuard {
    /// Believes a wall clock as it is at first, where nothing else is known.
    #[must_use]
    pub const fn new(wall: Timestamp, since_boot: Duration) -> Self {
        Self {
            believed: wall,
            at: since_boot,
            ahead_since: None,
        }
    }

    /// Looks at both clocks.
    pub fn look(&mut self, wall: Timestamp, since_boot: Duration) -> Belief {
        let expected = self.believed.plus(since_boot.saturating_sub(self.at));
        let by = wall.since(expected);
        if by > TOLERANCE {
            let since = *self.ahead_since.get_or_insert(since_boot);
            if since_boot.saturating_sub(since) < SETTLING {
                return Belief::Ahead {
                    believed: expected,
                    by,
                };
            }
        }
        *self = Self::new(wall, since_boot);
        Belief::Wall(wall)
    }
}

/// The reading of a clock that never jumps ahead: after `elapsed` it has moved by twice that at the
/// most, until it has caught up with the wall clock, and it is never ahead of that.
///
/// What is removed by it has really had half of its time; a store MUST add as much again where that
/// is too little. Where the wall clock was set
/// ahead and is right, or the machine was off, it lags for as long as that was: things stay a little
/// longer.
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
    fn a_wall_clock_that_agrees_is_followed() {
        let mut guard = ClockGuard::new(NOON, secs(100));
        for n in 1..100 {
            let wall = NOON.plus(secs(61 * n));
            assert_eq!(guard.look(wall, secs(100 + 60 * n)), Belief::Wall(wall));
        }
    }

    #[test]
    fn a_jump_ahead_that_is_taken_back_was_never_believed() {
        let mut guard = ClockGuard::new(NOON, secs(100));
        for n in 1..=75 {
            let belief = guard.look(NOON.plus(20 * DAY + secs(n)), secs(100 + n));
            let believed = NOON.plus(secs(n));
            assert_eq!(
                belief,
                Belief::Ahead {
                    believed,
                    by: 20 * DAY
                }
            );
        }
        let wall = NOON.plus(secs(76));
        assert_eq!(guard.look(wall, secs(176)), Belief::Wall(wall));
        // Another jump has to stay as long as the first would have had to.
        let ahead = guard.look(wall.plus(DAY), secs(176) + SETTLING);
        assert!(matches!(ahead, Belief::Ahead { .. }));
    }

    #[test]
    fn a_jump_ahead_that_stays_is_believed_in_the_end() {
        let mut guard = ClockGuard::new(NOON, secs(0));
        let look = |guard: &mut ClockGuard, after| guard.look(NOON.plus(DAY + after), after);
        assert!(matches!(look(&mut guard, secs(1)), Belief::Ahead { .. }));
        let later = secs(1) + SETTLING;
        let before = look(&mut guard, later.saturating_sub(secs(1)));
        assert_eq!(before.now(), NOON.plus(SETTLING));
        let wall = NOON.plus(DAY + later);
        assert_eq!(look(&mut guard, later), Belief::Wall(wall));
        assert_eq!(look(&mut guard, later + secs(1)).now(), wall.plus(secs(1)));
    }

    #[test]
    fn a_clock_that_goes_back_is_believed_at_once() {
        let mut guard = ClockGuard::new(NOON.plus(DAY), secs(0));
        assert_eq!(guard.look(NOON, secs(1)), Belief::Wall(NOON));
    }

    #[test]
    fn a_suspended_machine_does_not_jump() {
        let mut guard = ClockGuard::new(NOON, secs(0));
        let wall = NOON.plus(3 * DAY);
        assert_eq!(guard.look(wall, 3 * DAY), Belief::Wall(wall));
    }

    #[test]
    fn the_steady_clock_never_jumps_ahead_and_never_leads() {
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
