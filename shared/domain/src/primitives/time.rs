//! Instants as the outside sees them: milliseconds since the Unix epoch, UTC.

use std::fmt;
use std::time::{Duration, SystemTime};

/// An instant in milliseconds since the Unix epoch, UTC.
///
/// `Display` gives ISO 8601 with milliseconds (`2026-01-02T03:04:05.678Z`), the form that the
/// phone number API's `expiresAt` and `timestamp` have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

/// The last instant that can be written with a four-digit year: 9999-12-31T23:59:59.999Z.
const LAST: u64 = 253_402_300_799_999;

impl Timestamp {
    /// The instant `millis` milliseconds after the Unix epoch. Later than the year 9999 becomes
    /// the last instant of that year, so that every value can be written.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(if millis > LAST { LAST } else { millis })
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// Whole seconds since the Unix epoch, rounded down.
    #[must_use]
    pub const fn as_secs(self) -> u64 {
        self.0 / 1000
    }

    /// The instant `duration` later, at the latest the last one that can be written.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(LAST);
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// How long after `earlier` this is; zero where it is not after it.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(self.0);
        humantime::format_rfc3339_millis(time).fmt(f)
    }
}

/// The wall clock.
pub trait Clock: Send + Sync {
    /// The present instant. MUST NOT be cached.
    fn now(&self) -> Timestamp;
}

/// A clock that nobody can set.
pub trait BootTime: Send + Sync {
    /// How long ago the machine was started. MUST count the time that it was suspended for, and
    /// MUST NOT follow the wall clock.
    fn since_boot(&self) -> Duration;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_as_iso_8601_with_milliseconds() {
        assert_eq!(
            Timestamp::from_millis(0).to_string(),
            "1970-01-01T00:00:00.000Z"
        );
        assert_eq!(
            Timestamp::from_millis(1_767_323_045_678).to_string(),
            "2026-01-02T03:04:05.678Z"
        );
    }

    #[test]
    fn stays_within_four_digit_years() {
        let end = Timestamp::from_millis(u64::MAX);
        assert_eq!(end.to_string(), "9999-12-31T23:59:59.999Z");
        assert_eq!(end.plus(Duration::MAX), end);
    }

    #[test]
    fn a_difference_never_goes_below_zero() {
        let (a, b) = (Timestamp::from_millis(5), Timestamp::from_millis(9));
        assert_eq!(b.since(a), Duration::from_millis(4));
        assert_eq!(a.since(b), Duration::ZERO);
    }
}
