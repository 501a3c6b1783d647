//! Time as the operating system tells it.

use std::time::{SystemTime, UNIX_EPOCH};

use countersign_domain::primitives::time::{Clock, Timestamp};

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // A clock before 1970 is wrong in any case; zero keeps every session closed.
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
    fn it_is_later_than_when_this_was_written() {
        assert!(SystemClock.now() > Timestamp::from_millis(1_760_000_000_000));
    }
}
