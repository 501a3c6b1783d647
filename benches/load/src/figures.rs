//! Figures from measurements.

use std::time::Duration;

/// Durations of one kind, in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn new(mut durations: Vec<Duration>) -> Self {
        durations.sort_unstable();
        Self(durations)
    }

    /// Returns a percentile, in milliseconds.
    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        let last = self.0.len().saturating_sub(1);
        let index = (self.0.len() * percent / 100).min(last);
        self.0
            .get(index)
            .map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
    }

    /// Returns the number of durations.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [median, high, longest] = [50, 99, 100].map(|percent| self.percentile(percent));
        write!(
            f,
            "p50 {median:.2} ms, p99 {high:.2} ms, longest {longest:.2} ms"
        )
    }
}

/// The result of doing the same work repeatedly without a pause.
#[derive(Clone, Debug)]
pub(crate) struct Throughput {
    /// Repetitions per second.
    pub(crate) rate: f64,
    pub(crate) times: Times,
}

impl Throughput {
    /// Computes the throughput from the durations of the work done in this time.
    pub(crate) fn new(times: Vec<Duration>, within: Duration) -> Self {
        Self {
            rate: rate(times.len(), within),
            times: Times::new(times),
        }
    }
}

/// Converts bytes to MiB.
#[allow(clippy::cast_precision_loss, reason = "a figure for people")]
pub(crate) fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / (1024.0 * 1024.0)
}

/// Returns the number per second.
#[allow(clippy::cast_precision_loss, reason = "a figure for people")]
pub(crate) fn rate(count: usize, duration: Duration) -> f64 {
    count as f64 / duration.as_secs_f64()
}

/// Returns a duration in milliseconds.
pub(crate) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_sorted_durations() {
        let times = Times::new((0..200).rev().map(Duration::from_millis).collect());
        let found = [0, 50, 99, 100].map(|percent| format!("{:.1}", times.percentile(percent)));
        assert_eq!(found, ["0.0", "100.0", "198.0", "199.0"]);
        assert!(Times::default().percentile(50).is_nan());
    }
}
