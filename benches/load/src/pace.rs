//! Fixed times at which requests are sent, whether or not earlier ones have been answered.

use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

/// Maximum warm-up time, in which connections are opened and caches are filled. It is not part of
/// the measurement.
const MAX_WARM_UP: Duration = Duration::from_secs(1);

/// Returns the warm-up time of a measurement with this duration.
pub(crate) fn warm_up_time(duration: Duration) -> Duration {
    duration.min(MAX_WARM_UP)
}

/// Returns the number of requests at this rate in the given time: at least one.
pub(crate) fn within(rate: u32, time: Duration) -> usize {
    let count = u128::from(rate) * time.as_millis() / 1000;
    usize::try_from(count).unwrap_or(usize::MAX).max(1)
}

/// Returns the number of requests at this rate, including the warm-up.
pub(crate) fn count(rate: u32, duration: Duration) -> usize {
    within(rate, duration) + warm_up(rate, duration)
}

/// Returns the number of requests in the warm-up.
pub(crate) fn warm_up(rate: u32, duration: Duration) -> usize {
    within(rate, warm_up_time(duration))
}

/// Emits `count` instants at even intervals, each as soon as it is reached. The receiver measures
/// latency from the intended instant, so a request that is sent late counts as slow.
///
/// A separate thread keeps the pace, because the runtime's timers have a resolution of only a
/// millisecond.
pub(crate) fn instants(rate: u32, count: usize) -> mpsc::UnboundedReceiver<Instant> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let interval = Duration::from_secs(1) / rate;
    thread::spawn(move || {
        let mut next = Instant::now() + interval;
        for _ in 0..count {
            // sleep: this thread exists to keep the pace.
            thread::sleep(next.saturating_duration_since(Instant::now()));
            if sender.send(next).is_err() {
                return;
            }
            next += interval;
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn instants_are_evenly_spaced_and_never_early() {
        let mut instants = instants(1000, 20);
        let mut before: Option<Instant> = None;
        let mut received = 0;
        while let Some(at) = instants.recv().await {
            assert!(at <= Instant::now());
            if let Some(before) = before {
                assert_eq!(at - before, Duration::from_millis(1));
            }
            before = Some(at);
            received += 1;
        }
        assert_eq!(received, 20);
    }
}
