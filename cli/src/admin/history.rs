//! Hourly counts for plots.

use std::fmt::Write as _;
use std::ops::Range;

use clap::Args;
use countersign_domain::hourly::{Hour, HourSum, Split, Step, StepCounts, Sums};
use countersign_domain::primitives::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::{DisplayFromStr, serde_as};

use super::request::{Answer, Request};
use super::sentence::Sentence;
use super::{Admin, AdminError, Host};
use crate::print;
use crate::schema::{NameOf, Ours, Time};

/// Largest number of apps, countries or providers that an answer tells apart.
const MAX_LABELS: usize = 12;

/// Number of rows that the command prints.
const MAX_ROWS: usize = 200;

/// Counts by hour what was started, texted, verified, delivered and logged in, for up to 90 days.
#[serde_as]
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct ShowHistory {
    /// The first hour, in UTC, such as 2026-01-02T03:00:00Z; if absent, a day before the end
    #[arg(long, value_name = "TIME")]
    #[serde_as(as = "Option<DisplayFromStr>")]
    #[schemars(with = "Option<Time>")]
    pub(crate) from: Option<Timestamp>,
    /// The end of the last hour, if not the present one
    #[arg(long, value_name = "TIME")]
    #[serde_as(as = "Option<DisplayFromStr>")]
    #[schemars(with = "Option<Time>")]
    pub(crate) to: Option<Timestamp>,
    /// Split the counts by app, country or provider
    #[arg(long, value_name = "LABEL", value_parser = split)]
    #[schemars(with = "Option<NameOf<Split>>")]
    pub(crate) by: Option<Split>,
}

/// Parses the label by which counts are split.
fn split(text: &str) -> Result<Split, &'static str> {
    text.parse()
        .map_err(|_| "counts are split by app, country or provider")
}

/// The counts of some hours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct History {
    /// Oldest first. Hours without counts are left out.
    pub(crate) hours: Vec<HistoryHour>,
    /// False if the counts lack something, as the notes say.
    pub(crate) complete: bool,
    /// Notes about what the counts contain and lack.
    pub(crate) notes: Vec<Sentence>,
}

/// The counts of one hour and one app, country or provider. Of these, the ones by which the counts are not split are
/// empty. `*` stands for all that are not told apart.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HistoryHour {
    /// The beginning of the hour. UTC, ISO 8601 with milliseconds.
    #[schemars(with = "Time")]
    at: String,
    #[schemars(with = "Ours")]
    app: String,
    #[schemars(with = "Ours")]
    country: String,
    #[schemars(with = "Ours")]
    provider: String,
    started: u64,
    texted: u64,
    verified: u64,
    delivered: u64,
    logged_in: u64,
}

impl HistoryHour {
    fn new(by: Option<Split>, sum: HourSum) -> Self {
        let HourSum {
            hour,
            label,
            counts,
        } = sum;
        let hour = Self {
            at: hour.start().to_string(),
            ..Self::of_counts(&counts)
        };
        match by {
            None => hour,
            Some(Split::App) => Self { app: label, ..hour },
            Some(Split::Country) => Self {
                country: label,
                ..hour
            },
            Some(Split::Provider) => Self {
                provider: label,
                ..hour
            },
        }
    }

    fn of_counts(counts: &StepCounts) -> Self {
        Self {
            started: counts.get(Step::Started),
            texted: counts.get(Step::Texted),
            verified: counts.get(Step::Verified),
            delivered: counts.get(Step::Delivered),
            logged_in: counts.get(Step::LoggedIn),
            ..Self::default()
        }
    }
}

impl History {
    pub(crate) fn new(
        by: Option<Split>,
        sums: Sums,
        gaps: Vec<Sentence>,
        notes: Vec<Sentence>,
    ) -> Self {
        let hours = sums.into_hours(MAX_LABELS).into_iter();
        Self {
            hours: hours.map(|sum| HistoryHour::new(by, sum)).collect(),
            complete: gaps.is_empty(),
            notes: gaps.into_iter().chain(notes).collect(),
        }
    }
}

impl Answer for History {
    fn text(&self) -> String {
        const COLUMNS: [&str; 9] = [
            "at",
            "app",
            "country",
            "provider",
            "started",
            "texted",
            "verified",
            "delivered",
            "loggedIn",
        ];
        let left_out = self.hours.len().saturating_sub(MAX_ROWS);
        let mut text = if self.hours.is_empty() {
            "Nothing was counted".to_owned()
        } else {
            print::table(&self.hours[left_out..], &COLUMNS)
        };
        if left_out > 0 {
            let _ = write!(
                text,
                "\n\n{left_out} earlier rows are left out; --json has all."
            );
        }
        for note in &self.notes {
            let _ = write!(text, "\n\n{note}");
        }
        text
    }
}

impl Request for ShowHistory {
    const NAME: &'static str = "show_history";
    #[cfg(feature = "aws")]
    const IS_COSTLY: bool = true;
    type Answer = History;

    async fn execute(self, admin: &Admin) -> Result<History, AdminError> {
        let now = admin.clock.now();
        let hours = self.hours(now);
        match &admin.host {
            Host::Machine(items) => {
                let summed = items.sum_hours(hours, Sums::new(self.by)).await?;
                let gap = || {
                    Sentence::new(
                        "history_damaged",
                        "A part of the counts cannot be read: stop the server, and run `countersign check --repair`.",
                        [],
                    )
                };
                let gaps = (!summed.is_complete).then(gap).into_iter().collect();
                Ok(History::new(self.by, summed.sums, gaps, Vec::new()))
            }
            Host::Table(table) => table.history(admin, hours, self.by, now).await,
        }
    }
}

impl ShowHistory {
    /// Returns the hours as far as counts are kept.
    fn hours(&self, now: Timestamp) -> Range<Hour> {
        // Another machine's clock may be ahead.
        let end = Hour::of(now).next().next();
        let to = self.to.map_or(Hour::of(now).next(), |to| {
            let last = Timestamp::from_millis(to.as_millis().saturating_sub(1));
            Hour::of(last).next().min(end)
        });
        let from = self.from.map_or(Hour(to.0.saturating_sub(24)), Hour::of);
        from.max(Hour::first_kept(now))..to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_those_that_are_kept() {
        let now = Timestamp::from_millis(1_767_323_045_678);
        let hour = Hour::of(now).0;
        let hours = |from: u64, to: u64| {
            let request = ShowHistory {
                from: Some(Timestamp::from_millis(from)),
                to: Some(Timestamp::from_millis(to)),
                by: None,
            };
            let hours = request.hours(now);
            (hours.start.0, hours.end.0)
        };
        assert_eq!(hours(0, u64::MAX), (hour - 2160, hour + 2));
        let start = Hour(hour).start().as_millis();
        assert_eq!(hours(start, start + 1), (hour, hour + 1));
        assert_eq!(hours(start - 1, start), (hour - 1, hour));
        let (from, to) = hours(start, 0);
        assert!(from >= to);
        let last_day = ShowHistory::default().hours(now);
        assert_eq!((last_day.start.0, last_day.end.0), (hour - 23, hour + 1));
    }
}
