//! Figures from measurements.

use std::time::Duration;

/// Durations of the same thing, sorted.
#[derive(Clone, Debug, Default)]
pub struct Sample(Vec<Duration>);

impl Sample {
    /// Sorts the times.
    #[must_use]
    pub fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// Returns a percentile: the smallest time that this percentage of the times does not exceed.
    /// `None` if there are no times.
    #[must_use]
    pub fn percentile(&self, percent: usize) -> Option<Duration> {
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0.get(rank - 1).copied()
    }

    /// Returns the median in milliseconds, or zero if there are no times.
    #[must_use]
    pub fn median(&self) -> f64 {
        millis(self.percentile(50).unwrap_or_default())
    }
}

/// Converts to milliseconds.
#[must_use]
pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Converts bytes to MiB.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "a figure for people")]
pub fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / (1024.0 * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_sample() {
        let sample = Sample::new((1..=200).rev().map(Duration::from_millis).collect());
        assert_eq!(sample.percentile(50), Some(Duration::from_millis(100)));
        assert_eq!(sample.percentile(99), Some(Duration::from_millis(198)));
        assert_eq!(sample.percentile(100), Some(Duration::from_millis(200)));
        let one = Sample::new(vec![Duration::from_millis(7)]);
        assert_eq!(one.percentile(1), one.percentile(99));
        assert_eq!(Sample::default().percentile(50), None);
    }
}
