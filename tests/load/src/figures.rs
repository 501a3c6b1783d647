//! Figures from measurements.

use std::time::Duration;

/// Converts bytes to MiB.
#[allow(clippy::cast_precision_loss, reason = "a figure for people")]
pub(crate) fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / (1024.0 * 1024.0)
}

/// Formats the median, the 99th percentile and the maximum of some durations.
pub(crate) fn percentiles(mut durations: Vec<Duration>) -> String {
    durations.sort_unstable();
    let at = |percent: usize| {
        let index = (durations.len() * percent / 100).min(durations.len() - 1);
        durations[index].as_secs_f64() * 1000.0
    };
    format!(
        "p50 {:.2} ms, p99 {:.2} ms, longest {:.2} ms",
        at(50),
        at(99),
        at(100)
    )
}

/// Returns the number per second.
#[allow(clippy::cast_precision_loss, reason = "a figure for people")]
pub(crate) fn rate(count: usize, duration: Duration) -> f64 {
    count as f64 / duration.as_secs_f64()
}
