//! Days in UTC.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde_with::{DeserializeFromStr, SerializeDisplay};

use super::time::{MalformedTimestamp, Timestamp};

const LENGTH: Duration = Duration::from_hours(24);

/// A day in UTC. Its text form is that of ISO 8601 (`2026-01-02`).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr,
)]
pub struct Day(u64);

impl Day {
    /// Returns the day of an instant.
    #[must_use]
    pub const fn of(at: Timestamp) -> Self {
        Self(at.as_secs() / LENGTH.as_secs())
    }

    fn start(self) -> Timestamp {
        Timestamp::from_millis(self.0.saturating_mul(LENGTH.as_secs() * 1000))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.start().to_string();
        f.write_str(start.split('T').next().unwrap_or_default())
    }
}

impl FromStr for Day {
    type Err = MalformedTimestamp;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let start = format!("{text}T00:00:00Z").parse::<Timestamp>()?;
        Ok(Self::of(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_of_an_instant_reads_back() {
        for (at, day) in [
            ("1970-01-01T00:00:00Z", "1970-01-01"),
            ("2026-01-02T00:00:00Z", "2026-01-02"),
            ("2026-01-02T23:59:59.999Z", "2026-01-02"),
            ("2028-02-29T12:00:00Z", "2028-02-29"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31"),
        ] {
            let found = Day::of(at.parse().unwrap());
            assert_eq!(found.to_string(), day);
            assert_eq!(day.parse(), Ok(found));
        }
        for text in ["", "2026", "2026-1-2", "2026-02-30", "2026-01-02T00:00:00Z"] {
            assert_eq!(text.parse::<Day>(), Err(MalformedTimestamp), "{text}");
        }
    }
}
