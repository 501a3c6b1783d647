//! How well receivers answer, summed up for operators.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Attempt, AttemptResult, Delivery, Progress};

/// The deliveries to one receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverSummary {
    /// The origin of the callback URLs.
    pub origin: String,
    pub delivered: u64,
    /// Number of webhooks that were given up.
    pub failed: u64,
    pub pending: u64,
    /// The duration that half of the answered attempts did not exceed; `None` without an answer.
    pub median: Option<Duration>,
    /// The duration that 95 % of the answered attempts did not exceed.
    pub p95: Option<Duration>,
    /// The latest attempt that failed.
    pub last_failure: Option<Attempt>,
}

/// Sums up deliveries by receiver.
#[derive(Clone, Debug, Default)]
pub struct ReceiverTally(BTreeMap<String, Tally>);

#[derive(Clone, Debug, Default)]
struct Tally {
    delivered: u64,
    failed: u64,
    pending: u64,
    durations: Vec<Duration>,
    last_failure: Option<Attempt>,
}

impl ReceiverTally {
    /// Adds a delivery to the receiver at `origin`.
    pub fn add(&mut self, origin: &str, delivery: &Delivery) {
        let tally = self.0.entry(origin.to_owned()).or_default();
        match delivery.progress {
            Progress::Delivered { .. } => tally.delivered += 1,
            Progress::Failed { .. } => tally.failed += 1,
            Progress::Pending { .. } => tally.pending += 1,
        }
        for attempt in &delivery.attempts {
            if matches!(attempt.result, AttemptResult::Answered(_)) {
                tally.durations.push(attempt.duration);
            }
            let last = tally.last_failure.as_ref();
            if !attempt.result.is_success() && last.is_none_or(|last| last.at <= attempt.at) {
                tally.last_failure = Some(attempt.clone());
            }
        }
    }

    /// Returns the receivers, those with most webhooks given up first.
    #[must_use]
    pub fn end(self) -> Vec<ReceiverSummary> {
        let mut receivers: Vec<_> = self
            .0
            .into_iter()
            .map(|(origin, mut tally)| {
                tally.durations.sort_unstable();
                ReceiverSummary {
                    origin,
                    delivered: tally.delivered,
                    failed: tally.failed,
                    pending: tally.pending,
                    median: percentile(&tally.durations, 50),
                    p95: percentile(&tally.durations, 95),
                    last_failure: tally.last_failure,
                }
            })
            .collect();
        receivers.sort_by_key(|receiver| std::cmp::Reverse((receiver.failed, receiver.pending)));
        receivers
    }
}

/// Returns the smallest value that is at least as large as this share of the sorted values.
fn percentile(sorted: &[Duration], percent: usize) -> Option<Duration> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::FailureReason;
    use crate::primitives::time::Timestamp;

    fn at(second: u64) -> Timestamp {
        Timestamp::from_millis(1_767_323_045_000 + second * 1_000)
    }

    fn attempt(second: u64, millis: u64, result: AttemptResult) -> Attempt {
        Attempt {
            number: 1,
            at: at(second),
            duration: Duration::from_millis(millis),
            result,
        }
    }

    fn delivery(progress: Progress, attempts: Vec<Attempt>) -> Delivery {
        Delivery {
            attempts,
            progress,
            ..Delivery::pending(at(0))
        }
    }

    #[test]
    fn receivers_are_apart_and_the_worst_is_first() {
        let mut tally = ReceiverTally::default();
        let well = delivery(
            Progress::Delivered { at: at(2) },
            vec![
                attempt(1, 30, AttemptResult::Answered(500)),
                attempt(2, 20, AttemptResult::Answered(204)),
            ],
        );
        tally.add("https://a.example", &well);
        let refused = AttemptResult::NoAnswer(FailureReason::ConnectFailed);
        let down = delivery(
            Progress::Failed { at: at(9) },
            vec![attempt(9, 3_000, refused)],
        );
        tally.add("https://b.example", &down);
        tally.add("https://b.example", &Delivery::pending(at(1)));
        let receivers = tally.end();
        let [bad, good] = &receivers[..] else {
            panic!("{receivers:?}");
        };
        assert_eq!(bad.origin, "https://b.example");
        assert_eq!((bad.delivered, bad.failed, bad.pending), (0, 1, 1));
        // No answer has no latency.
        assert_eq!((bad.median, bad.p95), (None, None));
        assert_eq!(bad.last_failure.as_ref().unwrap().result, refused);
        assert_eq!((good.delivered, good.failed, good.pending), (1, 0, 0));
        assert_eq!(good.median, Some(Duration::from_millis(20)));
        assert_eq!(good.p95, Some(Duration::from_millis(30)));
        assert_eq!(good.last_failure.as_ref().unwrap().at, at(1));
    }

    #[test]
    fn percentiles_are_measured_values() {
        let millis = |values: &[u64]| {
            let values = values.iter().copied();
            values.map(Duration::from_millis).collect::<Vec<_>>()
        };
        let hundred: Vec<u64> = (1..=100).collect();
        for (values, percent, expected) in [
            (&[][..], 50, None),
            (&[7], 50, Some(7)),
            (&[7], 95, Some(7)),
            (&[1, 2, 3], 50, Some(2)),
            (&[1, 2, 3, 4], 50, Some(2)),
            (&hundred, 50, Some(50)),
            (&hundred, 95, Some(95)),
        ] {
            let found = percentile(&millis(values), percent);
            assert_eq!(found, expected.map(Duration::from_millis), "{values:?}");
        }
    }
}
