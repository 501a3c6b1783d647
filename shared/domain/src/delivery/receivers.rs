//! A process's memory of slow receivers: an unresponsive receiver must not use up the capacity for
//! webhooks to others.
//!
//! A process that makes attempts to all receivers one after another, as on AWS, would otherwise spend most
//! of its time waiting for a receiver that hangs. A receiver that fails quickly costs almost nothing; for
//! it, the retry schedule is enough.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::ReceiverGroup;
use crate::primitives::time::Timestamp;

/// Duration from which an attempt counts as slow.
const SLOW_AFTER: Duration = Duration::from_secs(1);

/// Number of consecutive slow failures after which a receiver counts as down.
const FAILURES_UNTIL_DOWN: u32 = 3;

/// Time that a receiver counts as down at first. The time doubles with each further failure.
const FIRST_DOWN_TIME: Duration = Duration::from_secs(10);

/// Maximum time for which a receiver counts as down.
const MAX_DOWN_TIME: Duration = Duration::from_mins(5);

/// Time that a trial attempt has before another one is allowed.
const TRIAL_LEASE: Duration = Duration::from_secs(30);

/// Maximum number of remembered receivers.
const MAX_TRACKED: usize = 10_000;

/// The slow receivers known to this process.
#[derive(Debug, Default)]
pub struct SlowReceivers(Mutex<HashMap<ReceiverGroup, Slow>>);

/// A receiver whose last attempt was slow.
#[derive(Clone, Copy, Debug, Default)]
struct Slow {
    /// Number of consecutive slow failures.
    failures: u32,
    /// The time when a trial attempt is allowed, if the receiver is down.
    down_until: Option<Timestamp>,
}

impl SlowReceivers {
    /// Returns whether the last attempt to the receiver was slow.
    #[must_use]
    pub fn contain(&self, receiver: ReceiverGroup) -> bool {
        self.known().contains_key(&receiver)
    }

    /// Returns whether an attempt to the receiver is allowed. While a receiver is down, only an occasional
    /// trial attempt is.
    #[must_use]
    pub fn admit(&self, receiver: ReceiverGroup, now: Timestamp) -> bool {
        let mut known = self.known();
        let Some(Slow {
            down_until: Some(until),
            ..
        }) = known.get_mut(&receiver)
        else {
            return true;
        };
        let admitted = *until <= now;
        if admitted {
            *until = now.plus(TRIAL_LEASE);
        }
        admitted
    }

    /// Records the duration, result and end of an attempt.
    pub fn record(
        &self,
        receiver: ReceiverGroup,
        took: Duration,
        succeeded: bool,
        ended: Timestamp,
    ) {
        let mut known = self.known();
        if took < SLOW_AFTER {
            known.remove(&receiver);
            return;
        }
        if known.len() >= MAX_TRACKED && !known.contains_key(&receiver) {
            // Receivers that are still slow will soon be recorded again.
            known.clear();
        }
        let slow = known.entry(receiver).or_default();
        slow.failures = if succeeded { 0 } else { slow.failures + 1 };
        slow.down_until = slow
            .failures
            .checked_sub(FAILURES_UNTIL_DOWN)
            .map(|further| {
                let down = FIRST_DOWN_TIME * 2_u32.pow(further.min(10));
                ended.plus(down.min(MAX_DOWN_TIME))
            });
    }

    fn known(&self) -> MutexGuard<'_, HashMap<ReceiverGroup, Slow>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::DeliveryKind;

    const HANGS: Duration = Duration::from_secs(10);
    const QUICK: Duration = Duration::from_millis(999);

    fn receiver(n: u8) -> ReceiverGroup {
        ReceiverGroup::from_bytes(DeliveryKind::Confirmations, [n; 16])
    }

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_millis(1_767_323_045_000).plus(Duration::from_secs(seconds))
    }

    #[test]
    fn receiver_that_hangs_is_tried_out_more_and_more_rarely() {
        let receivers = SlowReceivers::default();
        let mut trials = Vec::new();
        for second in 0..3600 {
            if receivers.admit(receiver(1), at(second)) {
                trials.push(second);
                receivers.record(receiver(1), HANGS, false, at(second));
            }
        }
        let pauses: Vec<u64> = trials.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(pauses[..8], [1, 1, 10, 20, 40, 80, 160, 300]);
        assert!(pauses[8..].iter().all(|pause| *pause == 300));
        assert!(
            receivers.admit(receiver(2), at(0)),
            "others are not affected"
        );
    }

    #[test]
    fn one_attempt_at_a_time_tries_a_receiver_out() {
        let receivers = SlowReceivers::default();
        for _ in 0..3 {
            receivers.record(receiver(1), HANGS, false, at(0));
        }
        assert!(!receivers.admit(receiver(1), at(9)));
        assert!(receivers.admit(receiver(1), at(10)));
        assert!(!receivers.admit(receiver(1), at(11)), "one is under way");
        assert!(receivers.admit(receiver(1), at(40)), "it never ended");
    }

    #[test]
    fn answer_ends_it() {
        for (took, succeeded) in [(QUICK, true), (QUICK, false)] {
            let receivers = SlowReceivers::default();
            for _ in 0..9 {
                receivers.record(receiver(1), HANGS, false, at(0));
            }
            assert!(receivers.contain(receiver(1)));
            receivers.record(receiver(1), took, succeeded, at(1));
            assert!(receivers.admit(receiver(1), at(1)));
            assert!(!receivers.contain(receiver(1)));
        }
    }

    #[test]
    fn slow_success_is_slow_and_not_down() {
        let receivers = SlowReceivers::default();
        for _ in 0..9 {
            receivers.record(receiver(1), HANGS, false, at(0));
        }
        receivers.record(receiver(1), HANGS, true, at(1));
        assert!(receivers.contain(receiver(1)));
        for _ in 0..9 {
            assert!(receivers.admit(receiver(1), at(1)));
        }
    }

    #[test]
    fn quick_failures_are_left_to_the_schedule() {
        let receivers = SlowReceivers::default();
        for _ in 0..100 {
            receivers.record(receiver(1), QUICK, false, at(0));
            assert!(receivers.admit(receiver(1), at(0)));
        }
        assert!(!receivers.contain(receiver(1)));
    }

    #[test]
    fn memory_is_bounded() {
        let receivers = SlowReceivers::default();
        for n in 0..3 * u128::try_from(MAX_TRACKED).unwrap() {
            let receiver = ReceiverGroup::from_bytes(DeliveryKind::Logins, n.to_be_bytes());
            receivers.record(receiver, HANGS, false, at(0));
        }
        assert!(receivers.known().len() <= MAX_TRACKED);
    }
}
