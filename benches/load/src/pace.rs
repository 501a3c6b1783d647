//! Fixed times at which requests are sent, whether or not earlier ones are answered.

use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

/// Longest time at the start that is not counted, while connections are opened and caches are empty.
const MAX_WARM_UP: Duration = Duration::from_secs(1);

/// Returns the time before a measurement that is not counted.
pub(crate) fn warm_up_time(duration: Duration) -> Duration {
    duration.min(MAX_WARM_UP)
}

/// Returns the number of requests at this rate in a time: at least one.
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

/// Emits `count` instants at even intervals, each when it has come. The receiver measures latency from
/// the instant itself, so a late request counts as slow.
///
/// A separate thread keeps the pace, because the runtime's timers are a millisecond coarse.
pub(crate) fn instants(rate: u32, count: usize) -> mpsc::UnboundedReceiver<Instant> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let interval = Duration::from_secs(1) / rate;
    thread::spawn(move || {
        let mut next = Instant::now() + interval;
        for _ in 0..count {
            // sleep: the pace is what this thread keeps.
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
