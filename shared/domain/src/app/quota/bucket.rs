use std::time::Duration;

use super::Quota;
use crate::primitives::time::Timestamp;

/// The parts that a token is counted in: a quota of one per minute gains one part each millisecond.
const PARTS: u64 = 60_000;

/// How much earlier than the last a request may be stamped for being late rather than the clock
/// being set back: requests reach the bucket in another order than they were stamped.
const LATE: Duration = Duration::from_secs(10);

/// A token bucket. Exact: no fraction of a token is lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenBucket {
    parts: u64,
    filled_at: Timestamp,
}

impl TokenBucket {
    /// A full bucket.
    pub(super) fn full(quota: &Quota, now: Timestamp) -> Self {
        Self {
            parts: capacity(quota),
            filled_at: now,
        }
    }

    /// Returns how long it takes until there is a token, where there is none.
    pub(super) fn wait(&mut self, quota: &Quota, now: Timestamp) -> Option<Duration> {
        self.fill(quota, now);
        let missing = PARTS.checked_sub(self.parts).filter(|parts| *parts > 0)?;
        let millis = missing.div_ceil(u64::from(quota.per_minute.get()));
        Some(Duration::from_millis(millis))
    }

    /// Takes a token.
    pub(super) const fn take(&mut self) {
        self.parts = self.parts.saturating_sub(PARTS);
    }

    /// Gives back a token that was not used.
    pub(super) fn give_back(&mut self, quota: &Quota) {
        self.parts = self.parts.saturating_add(PARTS).min(capacity(quota));
    }

    /// Adds what was gained since the last time. A clock that was set back gains nothing. Neither does
    /// a late request, which must not turn the time back: it would be gained again.
    fn fill(&mut self, quota: &Quota, now: Timestamp) {
        if now < self.filled_at && self.filled_at.since(now) < LATE {
            return;
        }
        let millis = now.since(self.filled_at).as_millis();
        let millis = u64::try_from(millis).unwrap_or(u64::MAX);
        let gained = millis.saturating_mul(u64::from(quota.per_minute.get()));
        self.parts = self.parts.saturating_add(gained).min(capacity(quota));
        self.filled_at = now;
    }
}

fn capacity(quota: &Quota) -> u64 {
    u64::from(quota.burst.get()) * PARTS
}
