//! The schedule of retries.

use std::time::Duration;

use crate::primitives::entropy::Entropy;

/// Waits before each attempt of a round, from the previous attempt; the first attempt is made
/// immediately.
const WAITS: [Duration; 12] = [
    Duration::ZERO,
    Duration::from_secs(2),
    Duration::from_secs(5),
    Duration::from_secs(15),
    Duration::from_secs(30),
    Duration::from_mins(1),
    Duration::from_mins(2),
    Duration::from_mins(10),
    Duration::from_hours(1),
    Duration::from_hours(3),
    Duration::from_hours(6),
    Duration::from_hours(12),
];

/// Number of attempts in a round.
pub const ATTEMPTS_PER_ROUND: u32 = 12;

/// Upper bound on the duration of a round: every wait with maximum jitter, and the attempts
/// themselves. Only a receiver's `Retry-After` and attempts that use no step of the schedule may
/// extend it.
pub const MAX_RETRY_WINDOW: Duration = Duration::from_hours(28);

/// Maximum `Retry-After` that is respected.
pub const MAX_RETRY_AFTER: Duration = Duration::from_hours(12);

/// Number of attempts of a delivery after which errors on our side also use steps of the schedule: more
/// than a day of retries.
pub const MAX_FREE_RETRIES: u32 = 2000;

/// Maximum number of consecutive attempts that are skipped because the receiver is down without using a step
/// of the schedule. Skipping that many takes an hour and a half to two hours.
pub const MAX_SKIPS: usize = 12;

/// A fraction between 0 and 20 %, added to a wait so that deliveries that failed together are not
/// retried at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jitter(u8);

impl Jitter {
    /// No jitter.
    pub const NONE: Self = Self(0);
    /// Maximum jitter: 20 %.
    pub const MAX: Self = Self(u8::MAX);

    /// Draws a random fraction.
    #[must_use]
    pub fn draw(entropy: &dyn Entropy) -> Self {
        let mut byte = [0];
        entropy.fill(&mut byte);
        Self(byte[0])
    }

    fn add_to(self, wait: Duration) -> Duration {
        wait + wait * u32::from(self.0) / (5 * 255)
    }
}

/// Returns the wait before the next attempt after `made` attempts of the round, or `None` after the
/// last. If the receiver requested a longer wait with 429 or 503, `retry_after` is used instead of
/// the wait in the schedule.
#[must_use]
pub fn delay_before(made: u32, retry_after: Option<Duration>, jitter: Jitter) -> Option<Duration> {
    let wait = *WAITS.get(usize::try_from(made).ok()?)?;
    let asked = retry_after.unwrap_or_default().min(MAX_RETRY_AFTER);
    Some(jitter.add_to(wait).max(asked))
}

/// Returns the wait after the `nth` consecutive attempt (from 1) that failed because of an error on our side: at
/// first seconds, because most such errors are brief, and a minute at most.
#[must_use]
pub fn delay_after_our_fault(nth: usize, jitter: Jitter) -> Duration {
    let seconds = match nth {
        0 | 1 => 5,
        2 => 10,
        3 => 20,
        4 => 40,
        _ => 60,
    };
    jitter.add_to(Duration::from_secs(seconds))
}

/// Returns the wait after the `nth` consecutive attempt (from 1) that was skipped because the receiver is down.
/// The longest wait bounds how long a recovered receiver may have to wait, and is less than a queue's maximum
/// delay.
#[must_use]
pub fn delay_while_down(nth: usize, jitter: Jitter) -> Duration {
    let seconds = match nth {
        0 | 1 => 30,
        2 => 60,
        3 => 120,
        4 => 300,
        _ => 600,
    };
    jitter.add_to(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::MAX_LATENESS;
    use proptest::prelude::*;

    #[test]
    fn schedule_is_the_published_one() {
        let waits: Vec<u64> = (0..ATTEMPTS_PER_ROUND)
            .map(|made| delay_before(made, None, Jitter::NONE).unwrap().as_secs())
            .collect();
        assert_eq!(
            waits,
            [0, 2, 5, 15, 30, 60, 120, 600, 3600, 10_800, 21_600, 43_200]
        );
        assert_eq!(delay_before(ATTEMPTS_PER_ROUND, None, Jitter::NONE), None);
    }

    #[test]
    fn horizon_covers_a_whole_round() {
        let waits: Duration = (0..ATTEMPTS_PER_ROUND)
            .map(|made| delay_before(made, None, Jitter::MAX).unwrap())
            .sum();
        assert!(waits + MAX_LATENESS < MAX_RETRY_WINDOW, "{waits:?}");
    }

    #[test]
    fn retry_after_is_honoured_within_bounds() {
        let asked = |secs| delay_before(1, Some(Duration::from_secs(secs)), Jitter::NONE).unwrap();
        assert_eq!(asked(1), Duration::from_secs(2));
        assert_eq!(asked(90), Duration::from_secs(90));
        assert_eq!(asked(u64::MAX), MAX_RETRY_AFTER);
    }

    proptest! {
        #[test]
        fn jitter_adds_at_most_a_fifth(made in 0..ATTEMPTS_PER_ROUND, byte: u8) {
            let plain = delay_before(made, None, Jitter::NONE).unwrap();
            let jittered = delay_before(made, None, Jitter(byte)).unwrap();
            prop_assert!(plain <= jittered && jittered <= plain + plain / 5);
        }
    }
}
