//! Instants in milliseconds since the Unix epoch, UTC, and the ports that tell the time.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An instant in milliseconds since the Unix epoch, UTC.
///
/// `Display` writes ISO 8601 with milliseconds (`2026-01-02T03:04:05.678Z`), the form of
/// `expiresAt` and `timestamp` in the phone number API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Timestamp(u64);

/// The last instant with a four-digit year, 9999-12-31T23:59:59.999Z, in milliseconds since the
/// Unix epoch.
const MAX_MILLIS: u64 = 253_402_300_799_999;

impl Timestamp {
    /// Creates the instant `millis` milliseconds after the Unix epoch. Instants after the year 9999
    /// become the last instant of that year, so that every value can be written.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(if millis > MAX_MILLIS {
            MAX_MILLIS
        } else {
            millis
        })
    }

    /// Returns the milliseconds since the Unix epoch.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// Returns the whole seconds since the Unix epoch, rounded down.
    #[must_use]
    pub const fn as_secs(self) -> u64 {
        self.0 / 1000
    }

    /// Returns the instant `duration` later, limited to the end of the year 9999.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(MAX_MILLIS);
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// Returns the time elapsed since `earlier`; zero if `earlier` is later than this instant.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// The error for a text that is not an RFC 3339 time in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a time in UTC, such as 2026-01-02T03:04:05.678Z")]
pub struct MalformedTimestamp;

impl FromStr for Timestamp {
    type Err = MalformedTimestamp;

    /// Parses a time in UTC. Digits after the milliseconds are dropped.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let time = humantime::parse_rfc3339(text).map_err(|_| MalformedTimestamp)?;
        let since = time.duration_since(SystemTime::UNIX_EPOCH);
        let millis = since.map_err(|_| MalformedTimestamp)?.as_millis();
        let millis = u64::try_from(millis).map_err(|_| MalformedTimestamp)?;
        Ok(Self(millis))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_rfc3339_millis((*self).into()).fmt(f)
    }
}

impl From<Timestamp> for SystemTime {
    fn from(time: Timestamp) -> Self {
        Self::UNIX_EPOCH + Duration::from_millis(time.0)
    }
}

/// The wall clock.
pub trait Clock: Send + Sync {
    /// Returns the current time. Implementations MUST NOT cache it.
    fn now(&self) -> Timestamp;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displayed_time_reads_back() {
        let time = Timestamp::from_millis(1_767_323_045_678);
        assert_eq!(time.to_string().parse(), Ok(time));
        let whole = "2026-01-02T03:04:05Z".parse();
        assert_eq!(whole, Ok(Timestamp::from_millis(1_767_323_045_000)));
        for bad in [
            "",
            "2026-01-02",
            "2026-01-02T03:04:05",
            "2026-01-02T03:04:05+01:00",
            "1969-01-02T03:04:05Z",
        ] {
            assert_eq!(bad.parse::<Timestamp>(), Err(MalformedTimestamp), "{bad}");
        }
    }

    #[test]
    fn display_is_iso_8601_with_milliseconds() {
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
    fn years_stay_within_four_digits() {
        let end = Timestamp::from_millis(u64::MAX);
        assert_eq!(end.to_string(), "9999-12-31T23:59:59.999Z");
        assert_eq!(end.plus(Duration::MAX), end);
    }

    #[test]
    fn difference_never_goes_below_zero() {
        let (a, b) = (Timestamp::from_millis(5), Timestamp::from_millis(9));
        assert_eq!(b.since(a), Duration::from_millis(4));
        assert_eq!(a.since(b), Duration::ZERO);
    }
}
