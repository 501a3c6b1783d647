//! Sums of counts for a plot.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use strum::VariantArray as _;

use super::{Counted, Hour, OTHER, Series, Step};

const STEPS: usize = Step::VARIANTS.len();

/// The label that a plot splits counts by.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    serde::Serialize,
    serde::Deserialize,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Split {
    App,
    Country,
    Provider,
}

impl Split {
    fn label(self, series: &Series) -> &str {
        match self {
            Self::App => &series.app,
            Self::Country => &series.country,
            Self::Provider => &series.provider,
        }
    }
}

/// The number of times that each step was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepCounts([u64; STEPS]);

impl StepCounts {
    #[must_use]
    pub const fn get(&self, step: Step) -> u64 {
        self.0[step as usize]
    }

    pub const fn add(&mut self, step: Step, times: u64) {
        let count = &mut self.0[step as usize];
        *count = count.saturating_add(times);
    }

    fn add_all(&mut self, other: &Self) {
        for step in Step::VARIANTS {
            self.add(*step, other.get(*step));
        }
    }

    fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum, n| sum.saturating_add(*n))
    }
}

/// The counts of one hour and one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HourSum {
    pub hour: Hour,
    /// The value of the label by which the counts are split; empty if it is unknown, or without a split.
    pub label: String,
    pub counts: StepCounts,
}

/// Adds up counts by hour and one label.
#[derive(Clone, Debug)]
pub struct Sums {
    split: Option<Split>,
    by: BTreeMap<Hour, BTreeMap<String, StepCounts>>,
}

impl Sums {
    /// Creates empty sums. Without a split, each hour has one sum.
    #[must_use]
    pub const fn new(split: Option<Split>) -> Self {
        Self {
            split,
            by: BTreeMap::new(),
        }
    }

    /// Adds the number of times that a step was taken.
    pub fn add(&mut self, counted: &Counted, times: u64) {
        let label = self.split.map_or("", |split| split.label(&counted.series));
        let hour = self.by.entry(counted.hour).or_default();
        if !hour.contains_key(label) {
            hour.insert(label.to_owned(), StepCounts::default());
        }
        if let Some(counts) = hour.get_mut(label) {
            counts.add(counted.step, times);
        }
    }

    /// Returns the sums, oldest first. Only the `most` labels with the largest sums are told apart; the rest is
    /// added up as [`OTHER`].
    #[must_use]
    pub fn into_hours(self, most: usize) -> Vec<HourSum> {
        let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
        for (label, counts) in self
            .by
            .values()
            .flatten()
            .filter(|(label, _)| *label != OTHER)
        {
            let total = totals.entry(label).or_default();
            *total = total.saturating_add(counts.total());
        }
        let mut ranked: Vec<(&str, u64)> = totals.into_iter().collect();
        ranked.sort_by_key(|(_, total)| Reverse(*total));
        let apart: BTreeSet<&str> = ranked.iter().take(most).map(|(label, _)| *label).collect();
        let mut hours = Vec::new();
        for (hour, labels) in &self.by {
            let mut sums: BTreeMap<&str, StepCounts> = BTreeMap::new();
            for (label, counts) in labels {
                let label = if apart.contains(label.as_str()) {
                    label
                } else {
                    OTHER
                };
                sums.entry(label).or_default().add_all(counts);
            }
            hours.extend(sums.into_iter().map(|(label, counts)| HourSum {
                hour: *hour,
                label: label.to_owned(),
                counts,
            }));
        }
        hours
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(hour: u64, app: &str, country: &str, step: Step) -> Counted {
        let (app, country) = (app.to_owned(), country.to_owned());
        Counted {
            hour: Hour(hour),
            series: Series {
                app,
                country,
                ..Series::default()
            },
            step,
        }
    }

    fn sums(split: Option<Split>) -> Sums {
        let mut sums = Sums::new(split);
        sums.add(&counted(7, "shop", "DE", Step::Started), 3);
        sums.add(&counted(7, "shop", "US", Step::Started), 2);
        sums.add(&counted(7, "bank", "DE", Step::Verified), 1);
        sums.add(&counted(5, OTHER, OTHER, Step::Started), 9);
        sums
    }

    fn shown(sums: Sums, most: usize) -> Vec<(u64, String, u64, u64)> {
        let hours = sums.into_hours(most).into_iter();
        let shown = hours.map(
            |HourSum {
                 hour,
                 label,
                 counts,
             }| {
                (
                    hour.0,
                    label,
                    counts.get(Step::Started),
                    counts.get(Step::Verified),
                )
            },
        );
        shown.collect()
    }

    #[test]
    fn counts_add_up_by_the_asked_label() {
        let row =
            |hour, label: &str, started, verified| (hour, label.to_owned(), started, verified);
        assert_eq!(shown(sums(None), 5), [row(5, "", 9, 0), row(7, "", 5, 1)]);
        assert_eq!(
            shown(sums(Some(Split::Country)), 5),
            [row(5, OTHER, 9, 0), row(7, "DE", 3, 1), row(7, "US", 2, 0)]
        );
        assert_eq!(shown(sums(Some(Split::Provider)), 5).len(), 2);
    }

    #[test]
    fn small_labels_are_added_up() {
        let row =
            |hour, label: &str, started, verified| (hour, label.to_owned(), started, verified);
        assert_eq!(
            shown(sums(Some(Split::App)), 1),
            [
                row(5, OTHER, 9, 0),
                row(7, OTHER, 0, 1),
                row(7, "shop", 5, 0)
            ]
        );
    }
}
