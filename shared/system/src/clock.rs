//! The operating system's clock.

use std::time::{SystemTime, UNIX_EPOCH};

use countersign_domain::primitives::time::{Clock, Timestamp};

/// The machine's wall clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // A clock before 1970 is wrong anyway, so it is read as zero.
        let elapsed = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp::from_millis(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_is_past_its_time_of_writing() {
        assert!(SystemClock.now() > Timestamp::from_millis(1_760_000_000_000));
    }
}
