//! In-memory counters of the running server.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use strum::VariantArray as _;

use countersign_domain::event::{Event, Labels, Metrics};
use countersign_domain::primitives::ids::AppId;
use countersign_embedded::store::WriteCounts;
use prometheus::core::{Collector, Metric as _};
use prometheus::proto::{self, Bucket, MetricFamily};
use prometheus::{
    Histogram, HistogramOpts, IntCounter, IntCounterVec, IntGauge, Opts, Result, TextEncoder,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing_appender::non_blocking::ErrorCounter;

use crate::schema::Ours;

/// Upper bounds of the latency classes, in milliseconds.
const BOUNDS_MS: [u32; 16] = [
    1, 2, 3, 5, 8, 10, 15, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
];

/// The labels of an event, in the order of their values.
const LABELS: [&str; 4] = ["event", "app", "country", "provider"];

/// A countable event of the server itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum ServerEvent {
    /// A connection was refused because the server was full or the address had reached its limit.
    ConnectionRefused,
    /// A connection that was waiting for a request was closed to make room for another.
    ConnectionReclaimed,
    /// A connection was closed because its client did not read an answer in time.
    ConnectionStalled,
    /// The files that the server uses were moved, removed or modified by another process.
    FilesChanged,
    /// A log line was dropped because nothing read the log.
    LogLineLost,
    /// A thread or task panicked.
    Panicked,
}

/// Counters since the server started. Unlike counters of the crate `metrics`, they can be read back.
#[derive(Debug)]
pub(crate) struct Counters {
    events: IntCounterVec,
    first_attempts: Histogram,
    /// The log's error counter, and how many of its dropped lines are already in `events`.
    log: Mutex<(Option<ErrorCounter>, usize)>,
}

impl Metrics for Counters {
    fn count(&self, event: &Event, labels: Labels<'_>) {
        let app = labels.app.map_or("", AppId::as_str);
        let country = labels.country.map(|country| country.to_string());
        let country = country.as_deref().unwrap_or_default();
        let provider = labels.provider.unwrap_or_default();
        self.events
            .with_label_values(&[event.name(), app, country, provider])
            .inc();
        if let Event::Attempted {
            since_verified: Some(wait),
            ..
        } = event
        {
            self.first_attempts.observe(wait.as_secs_f64());
        }
    }
}

/// The counters at one point in time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Snapshot {
    /// The count of each event.
    pub(crate) events: Vec<Count>,
    /// Times from the verification to the end of the first attempt, by latency class.
    pub(crate) first_attempts: Vec<Class>,
}

/// The count of one event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Count {
    /// The event's name.
    #[schemars(with = "Ours")]
    pub(crate) name: String,
    /// Number of occurrences.
    pub(crate) count: u64,
}

/// The number of events with the same labels. A label that the event does not have is empty.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Series {
    pub(crate) event: String,
    pub(crate) app: String,
    pub(crate) country: String,
    pub(crate) provider: String,
    pub(crate) count: u64,
}

impl Series {
    fn from_metric(metric: &proto::Metric) -> Self {
        let label = |name| {
            let mut labels = metric.get_label().iter();
            let label = labels.find(|label| label.name() == name);
            label.map_or_else(String::new, |label| label.value().to_owned())
        };
        let [event, app, country, provider] = LABELS.map(label);
        Self {
            event,
            app,
            country,
            provider,
            count: whole(metric.get_counter().get_value()),
        }
    }
}

/// Converts the value of a counter that counts whole events.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a counter of events is a whole number and not negative"
)]
fn whole(value: f64) -> u64 {
    value as u64
}

/// A latency class: the times up to its bound and above the previous class's bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Class {
    /// The class's upper bound in milliseconds; absent for the last class.
    pub(crate) at_most_ms: Option<u32>,
    /// The number of times in this class.
    pub(crate) count: u64,
}

impl Counters {
    /// Fails if Prometheus rejects a name.
    pub(crate) fn new() -> Result<Self> {
        let events = Opts::new(
            "countersign_events_total",
            "Events since the server started",
        );
        let events = IntCounterVec::new(events, &LABELS)?;
        for name in names() {
            events.with_label_values(&[name, "", "", ""]);
        }
        let waits = HistogramOpts::new(
            "countersign_first_attempt_seconds",
            "Time from a text's arrival to the end of the first attempt to deliver its webhook",
        );
        let bounds = BOUNDS_MS.map(|millis| f64::from(millis) / 1000.0);
        Ok(Self {
            events,
            first_attempts: Histogram::with_opts(waits.buckets(bounds.to_vec()))?,
            log: Mutex::default(),
        })
    }

    /// Counts `times` occurrences of an event of the server itself.
    pub(crate) fn count_server(&self, event: ServerEvent, times: u64) {
        self.counter(event.into()).inc_by(times);
    }

    /// Returns the counter of an event without labels.
    fn counter(&self, event: &'static str) -> IntCounter {
        self.events.with_label_values(&[event, "", "", ""])
    }

    /// Counts the lines that the log drops when its queue is full.
    pub(crate) fn count_lines_dropped_by(&self, log: ErrorCounter) {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).0 = Some(log);
    }

    /// Returns the number of log lines that were dropped because nothing read the log.
    pub(crate) fn log_lines_lost(&self) -> u64 {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let dropped = log.0.as_ref().map_or(0, ErrorCounter::dropped_lines);
        let new = dropped.saturating_sub(std::mem::replace(&mut log.1, dropped));
        let lost = self.counter(ServerEvent::LogLineLost.into());
        lost.inc_by(new as u64);
        lost.get()
    }

    /// Returns the event counters, one for each combination of labels that occurred.
    pub(crate) fn series(&self) -> Vec<Series> {
        self.log_lines_lost();
        let families = self.events.collect();
        let metrics = families.iter().flat_map(MetricFamily::get_metric);
        metrics.map(Series::from_metric).collect()
    }

    /// Returns the current counters, with each event's series added up.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut sums = HashMap::new();
        for Series { event, count, .. } in self.series() {
            *sums.entry(event).or_default() += count;
        }
        let events = names().map(|name| Count {
            name: name.to_owned(),
            count: sums.get(name).copied().unwrap_or_default(),
        });
        Snapshot {
            events: events.collect(),
            first_attempts: self.classes(),
        }
    }

    fn classes(&self) -> Vec<Class> {
        let metric = self.first_attempts.metric();
        let waits = metric.get_histogram();
        let within = waits.get_bucket().iter().map(Bucket::cumulative_count);
        let bounds = BOUNDS_MS.into_iter().map(Some).chain([None]);
        let mut before = 0;
        bounds
            .zip(within.chain([waits.get_sample_count()]))
            .map(|(at_most_ms, within)| Class {
                at_most_ms,
                count: within - std::mem::replace(&mut before, within),
            })
            .collect()
    }

    /// Returns all counters in [Prometheus's text format](https://prometheus.io/docs/instrumenting/exposition_formats/).
    pub(crate) fn to_prometheus(&self, webhooks_owed: usize, store: WriteCounts) -> Result<String> {
        self.log_lines_lost();
        let owed = IntGauge::new("countersign_webhooks_owed", "Webhooks that are owed")?;
        owed.set(i64::try_from(webhooks_owed).unwrap_or(i64::MAX));
        let writes = IntCounter::new("countersign_store_writes_total", "Writes to the store")?;
        writes.inc_by(store.operations);
        let flushes = IntCounter::new("countersign_store_flushes_total", "Flushes to disk")?;
        flushes.inc_by(store.flushes);
        let collectors: [&dyn Collector; 5] =
            [&self.events, &self.first_attempts, &owed, &writes, &flushes];
        let families: Vec<_> = collectors
            .into_iter()
            .flat_map(Collector::collect)
            .collect();
        TextEncoder::new().encode_to_string(&families)
    }
}

/// Returns the names of all counters, in the order of a snapshot.
fn names() -> impl Iterator<Item = &'static str> {
    let server = ServerEvent::VARIANTS.iter().map(Into::into);
    Event::names().chain(server)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
        let counters = Counters::new().unwrap();
        counters.count(&Event::Created, Labels::default());
        counters.count(&Event::Created, Labels::default());
        for (times, event) in (1..).zip(ServerEvent::VARIANTS) {
            counters.count_server(*event, times);
        }
        let snapshot = counters.snapshot();
        assert_eq!(count_of(&snapshot, "created"), 2);
        assert_eq!(count_of(&snapshot, "connection_refused"), 1);
        assert_eq!(count_of(&snapshot, "files_changed"), 4);
        let all = snapshot.events.iter().map(|count| count.count);
        assert_eq!(all.sum::<u64>(), 2 + 1 + 2 + 3 + 4 + 5 + 6);
    }

    #[test]
    fn event_is_counted_for_its_app_country_and_provider() {
        let counters = Counters::new().unwrap();
        let apps = ["shop", "bank"].map(|name| name.parse::<AppId>().unwrap());
        for (app, country) in [(0, "GB"), (0, "GB"), (0, "DE"), (1, "GB")] {
            let labels = Labels {
                app: Some(&apps[app]),
                country: country.parse().ok(),
                provider: Some("generic"),
            };
            counters.count(&Event::Verified, labels);
        }
        let mut counted = counters.series();
        counted.retain(|series| series.count > 0);
        counted.sort();
        let series = |app: &str, country: &str, count| Series {
            event: "verified".to_owned(),
            app: app.to_owned(),
            country: country.to_owned(),
            provider: "generic".to_owned(),
            count,
        };
        let expected = [
            series("bank", "GB", 1),
            series("shop", "DE", 1),
            series("shop", "GB", 2),
        ];
        assert_eq!(counted, expected);
        assert_eq!(count_of(&counters.snapshot(), "verified"), 4);
        let none = WriteCounts {
            operations: 0,
            flushes: 0,
        };
        let text = counters.to_prometheus(0, none).unwrap();
        for line in [
            r#"countersign_events_total{app="shop",country="GB",event="verified",provider="generic"} 2"#,
            r#"countersign_events_total{app="",country="",event="created",provider=""} 0"#,
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
    }

    #[test]
    fn latency_falls_into_the_first_class_that_fits() {
        let counters = Counters::new().unwrap();
        for millis in [0, 1, 2, 9, 10, 11, 10_000, 10_001] {
            let attempted = Event::Attempted {
                result: AttemptResult::Answered(204),
                since_verified: Some(Duration::from_millis(millis)),
            };
            counters.count(&attempted, Labels::default());
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
