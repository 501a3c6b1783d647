use std::time::Duration;

use super::Quota;
use crate::primitives::time::Timestamp;

/// Number of parts in a token: a quota of one per minute gains one part per millisecond.
const PARTS_PER_TOKEN: u64 = 60_000;

/// Maximum difference by which a request's timestamp may precede the previous one for the request
/// to count as late; a greater difference means that the clock was set back. Requests do not reach
/// the bucket in the order of their timestamps.
const MAX_STAMP_LAG: Duration = Duration::from_secs(10);

/// A token bucket with exact arithmetic: no fraction of a token is lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenBucket {
    parts: u64,
    filled_at: Timestamp,
}

impl TokenBucket {
    pub(super) fn full(quota: &Quota, now: Timestamp) -> Self {
        Self {
            parts: capacity(quota),
            filled_at: now,
        }
    }

    /// Returns the time until a token is available, or `None` if one is available now.
    pub(super) fn wait(&mut self, quota: &Quota, now: Timestamp) -> Option<Duration> {
        self.fill(quota, now);
        let missing = PARTS_PER_TOKEN
            .checked_sub(self.parts)
            .filter(|parts| *parts > 0)?;
        let millis = missing.div_ceil(u64::from(quota.per_minute.get()));
        Some(Duration::from_millis(millis))
    }

    pub(super) const fn take(&mut self) {
        self.parts = self.parts.saturating_sub(PARTS_PER_TOKEN);
    }

    /// Gives back an unused token.
    pub(super) fn give_back(&mut self, quota: &Quota) {
        self.parts = self
            .parts
            .saturating_add(PARTS_PER_TOKEN)
            .min(capacity(quota));
    }

    /// Adds the tokens gained since the last call. Setting the clock back gains nothing. A late
    /// request gains nothing either. It must not move the time back, or the same time would be
    /// gained twice.
    fn fill(&mut self, quota: &Quota, now: Timestamp) {
        if now < self.filled_at && self.filled_at.since(now) < MAX_STAMP_LAG {
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
    u64::from(quota.burst.get()) * PARTS_PER_TOKEN
}
