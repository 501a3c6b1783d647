//! In-memory counters of the running server.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use strum::VariantArray as _;

use countersign_domain::event::{Event, Metrics};
use serde::{Deserialize, Serialize};
use tracing_appender::non_blocking::ErrorCounter;

/// Upper bounds of the latency classes, in milliseconds.
const BOUNDS_MS: [u64; 16] = [
    1, 2, 3, 5, 8, 10, 15, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
];

/// A countable event of the server itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum ServerEvent {
    /// A connection was refused: the server was full, or the address had its share.
    ConnectionRefused,
    /// A connection that was waiting for a request was closed to make room for another.
    ConnectionReclaimed,
    /// A connection was closed because its client did not read an answer in time.
    ConnectionStalled,
    /// A log line was dropped because nobody read the log.
    LogLineLost,
    /// A thread or task panicked.
    Panicked,
}

const LOG_LINE_LOST: &str = ServerEvent::LogLineLost.into_str();

/// Counters since the server started. They are read back for `countersign metrics`, which the counters of the
/// crate `metrics` cannot be.
#[derive(Debug)]
pub(crate) struct Counters {
    /// The count of each event by its name, in the order of a snapshot.
    events: Vec<(&'static str, AtomicU64)>,
    /// The log lines that had no room.
    log_lines_dropped: OnceLock<ErrorCounter>,
    first_attempts: Waits,
}

impl Default for Counters {
    fn default() -> Self {
        let server = ServerEvent::VARIANTS.iter().map(ServerEvent::into_str);
        let names = Event::names().chain(server);
        Self {
            events: names.map(|name| (name, AtomicU64::new(0))).collect(),
            log_lines_dropped: OnceLock::new(),
            first_attempts: Waits::default(),
        }
    }
}

/// Latencies by class.
#[derive(Debug, Default)]
struct Waits {
    within: [AtomicU64; BOUNDS_MS.len()],
    longer: AtomicU64,
}

impl Waits {
    fn count(&self, wait: Duration) {
        let millis = wait.as_millis();
        let class = BOUNDS_MS
            .iter()
            .position(|bound| millis <= u128::from(*bound));
        class
            .map_or(&self.longer, |class| &self.within[class])
            .fetch_add(1, Relaxed);
    }

    fn classes(&self) -> Vec<Class> {
        let bounded = BOUNDS_MS.iter().zip(&self.within);
        let bounded = bounded.map(|(bound, count)| (Some(*bound), count.load(Relaxed)));
        bounded
            .chain([(None, self.longer.load(Relaxed))])
            .map(|(at_most_ms, count)| Class { at_most_ms, count })
            .collect()
    }
}

impl Metrics for Counters {
    fn count(&self, event: &Event) {
        self.add(event.name(), 1);
        if let Event::Attempted {
            since_verified: Some(wait),
            ..
        } = event
        {
            self.first_attempts.count(*wait);
        }
    }
}

/// The counters at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Snapshot {
    /// The number of each event.
    pub(crate) events: Vec<Count>,
    /// Times from the verification to the end of the first attempt, by class.
    pub(crate) first_attempts: Vec<Class>,
}

/// The number of one event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Count {
    /// The event's name.
    pub(crate) name: String,
    /// The number of times that it happened.
    pub(crate) count: u64,
}

/// The number of times up to a class's bound and above the previous one's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Class {
    /// The class's upper bound in milliseconds; the last class has none.
    pub(crate) at_most_ms: Option<u64>,
    /// The number of times in this class.
    pub(crate) count: u64,
}

impl Counters {
    /// Counts an event of the server itself, `times` times.
    pub(crate) fn count_server(&self, event: ServerEvent, times: u64) {
        self.add(event.into_str(), times);
    }

    fn add(&self, name: &str, times: u64) {
        if let Some(count) = self.counter(name) {
            count.fetch_add(times, Relaxed);
        }
    }

    fn counter(&self, name: &str) -> Option<&AtomicU64> {
        let counter = self.events.iter().find(|(known, _)| *known == name);
        counter.map(|(_, count)| count)
    }

    /// Counts what the log drops because it has no room for it.
    pub(crate) fn count_lines_dropped_by(&self, log: ErrorCounter) {
        let _ = self.log_lines_dropped.set(log);
    }

    /// Returns the number of log lines that were dropped because nobody read the log.
    pub(crate) fn log_lines_lost(&self) -> u64 {
        let unwritten = self.counter(LOG_LINE_LOST);
        let unwritten = unwritten.map_or(0, |count| count.load(Relaxed));
        let dropped = self.log_lines_dropped.get();
        unwritten + dropped.map_or(0, ErrorCounter::dropped_lines) as u64
    }

    /// Returns the present counters.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let events = self.events.iter().map(|(name, count)| Count {
            name: (*name).to_owned(),
            count: match *name {
                LOG_LINE_LOST => self.log_lines_lost(),
                _ => count.load(Relaxed),
            },
        });
        Snapshot {
            events: events.collect(),
            first_attempts: self.first_attempts.classes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_domain::delivery::AttemptResult;

    fn count_of(snapshot: &Snapshot, name: &str) -> u64 {
        snapshot
            .events
            .iter()
            .find(|count| count.name == name)
            .unwrap()
            .count
    }

    #[test]
    fn every_event_has_a_counter() {
        let counters = Counters::default();
        counters.count(&Event::Created);
        counters.count(&Event::Created);
        counters.count(&Event::Verified);
        let snapshot = counters.snapshot();
        assert_eq!(count_of(&snapshot, "created"), 2);
        assert_eq!(count_of(&snapshot, "verified"), 1);
        assert_eq!(
            snapshot.events.iter().map(|count| count.count).sum::<u64>(),
            3
        );
    }

    #[test]
    fn every_server_event_has_a_counter() {
        let counters = Counters::default();
        for (times, event) in (1..).zip([
            ServerEvent::ConnectionRefused,
            ServerEvent::ConnectionReclaimed,
            ServerEvent::ConnectionStalled,
            ServerEvent::LogLineLost,
            ServerEvent::Panicked,
        ]) {
            counters.count_server(event, times);
        }
        let snapshot = counters.snapshot();
        assert_eq!(count_of(&snapshot, "connection_refused"), 1);
        assert_eq!(count_of(&snapshot, "connection_reclaimed"), 2);
        assert_eq!(count_of(&snapshot, "connection_stalled"), 3);
        assert_eq!(count_of(&snapshot, "log_line_lost"), 4);
        assert_eq!(count_of(&snapshot, "panicked"), 5);
    }

    #[test]
    fn latency_falls_into_the_first_class_that_fits() {
        let counters = Counters::default();
        for millis in [0, 1, 2, 9, 10, 11, 10_000, 10_001] {
            counters.count(&Event::Attempted {
                result: AttemptResult::Answered(204),
                since_verified: Some(Duration::from_millis(millis)),
            });
        }
        let classes = counters.snapshot().first_attempts;
        let of = |bound| {
            classes
                .iter()
                .find(|class| class.at_most_ms == bound)
                .unwrap()
                .count
        };
        assert_eq!(
            (of(Some(1)), of(Some(2)), of(Some(10)), of(Some(15))),
            (2, 1, 2, 1)
        );
        assert_eq!((of(Some(10_000)), of(None)), (1, 1));
    }
}
