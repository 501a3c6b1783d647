//! The time of a signature, as Signature Version 4 writes it.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY: u64 = 24 * 60 * 60;

/// A time as `20261231T235959Z`, in UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp(String);

impl Stamp {
    /// Returns the stamp of a time; those before 1970 are taken for its first second.
    pub(super) fn of(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (days, second) = (since.as_secs() / DAY, since.as_secs() % DAY);
        let (year, month, day) = civil(days);
        let (hour, minute) = (second / 3600, second / 60 % 60);
        let second = second % 60;
        Self(format!(
            "{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z"
        ))
    }

    /// Returns the date and the time.
    pub(super) fn date_time(&self) -> &str {
        &self.0
    }

    /// Returns the date alone.
    pub(super) fn date(&self) -> &str {
        self.0.split('T').next().unwrap_or_default()
    }
}

/// Returns year, month and day of the Gregorian calendar, the given number of days after 1970-01-01.
///
/// Years are counted from March, so that the leap day is the last day of a year.
const fn civil(days: u64) -> (u64, u64, u64) {
    const DAYS_OF_400_YEARS: u64 = 146_097;
    /// From 0000-03-01 to 1970-01-01.
    const OFFSET: u64 = 719_468;
    let days = days + OFFSET;
    let (era, day_of_era) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    // Without the leap days before it, each year has 365 days.
    let leap_days = day_of_era / 1460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Five months in a row have 153 days, from March on.
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    let year = era * 400 + year_of_era + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(seconds: u64) -> String {
        Stamp::of(UNIX_EPOCH + Duration::from_secs(seconds)).0
    }

    #[test]
    fn stamps_are_those_of_the_calendar() {
        // From `date -u -d @SECONDS +%Y%m%dT%H%M%SZ`.
        for (seconds, stamp) in [
            (0, "19700101T000000Z"),
            (951_782_400, "20000229T000000Z"),
            (951_868_800, "20000301T000000Z"),
            (1_798_761_599, "20261231T235959Z"),
            (1_835_395_199, "20280228T235959Z"),
            (1_835_395_200, "20280229T000000Z"),
            (4_107_542_399, "21000228T235959Z"),
            (4_107_542_400, "21000301T000000Z"),
        ] {
            assert_eq!(at(seconds), stamp);
        }
        assert_eq!(at(0)[..8], *Stamp::of(UNIX_EPOCH).date());
    }

    #[test]
    fn each_day_follows_the_one_before_it() {
        let mut former = civil(0);
        for days in 1..100_000 {
            let (year, month, day) = civil(days);
            let follows = match former {
                (y, m, d) if d + 1 == day => (y, m) == (year, month) && d >= 1,
                (y, 12, 31) => (y + 1, 1, 1) == (year, month, day),
                (y, m, d) => d >= 28 && (y, m + 1, 1) == (year, month, day),
            };
            assert!(follows, "{former:?} and {:?}", (year, month, day));
            former = (year, month, day);
        }
    }
}
