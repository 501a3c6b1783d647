//! Counters in CloudWatch's embedded metric format: CloudWatch extracts metrics from JSON lines in
//! the log.
//!
//! Source: "Specification: Embedded metric format", Amazon CloudWatch User Guide. Each invocation
//! writes one line at its end.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use countersign_domain::event::{Event, Labels, Metrics};
use countersign_domain::primitives::time::Timestamp;
use http::StatusCode;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

/// Namespace of all metrics.
pub const NAMESPACE: &str = "Countersign";

/// Dimension of all metrics except one: the deployment's name. Never add a confirmation, app or user:
/// each combination of dimensions is a separate metric that costs 0.30 dollars a month, so the labels
/// of an event are omitted.
pub const DIMENSION: &str = "Deployment";

/// Dimension of [`SERVER_ERROR`]: the function's name, as in Lambda's own metrics.
pub const FUNCTION_DIMENSION: &str = "FunctionName";

/// Metric: answers with status 500 and above.
pub const SERVER_ERROR: &str = "server_error";

/// Metric: milliseconds from the arrival of a text to the end of its webhook's first attempt.
pub const TEXT_TO_WEBHOOK: &str = "text_to_webhook";

/// Metric: the age in seconds of the oldest webhook that a sweep found.
pub const OLDEST_DUE: &str = "oldest_due";

/// Metric: sweeps that read all due deliveries, or as many as they may enqueue, and enqueued them.
pub const SWEEP_SUCCEEDED: &str = "sweep_succeeded";

/// Metric: answers with status 401 and 403.
pub const REFUSED_CALLER: &str = "refused_caller";

/// Metric: answers with status 429.
pub const REFUSED_RATE: &str = "refused_rate";

/// Metric: other answers with status 400 to 499.
pub const REFUSED_REQUEST: &str = "refused_request";

/// Metric: messages from the topic that could not be read.
pub const TEXT_POISONED: &str = "text_poisoned";

/// Metric: failed attempts to reload the settings of SMS providers, including refused settings.
pub const PROVIDERS_UNREADABLE: &str = "providers_unreadable";

/// Metric: queue messages that could not be read.
pub const POINTER_POISONED: &str = "pointer_poisoned";

/// Maximum number of values of one metric in a line (the specification's limit).
const MAX_VALUES: usize = 100;

/// Collects counts until [`EmbeddedMetrics::write`] writes them.
#[derive(Debug)]
pub struct EmbeddedMetrics {
    deployment: String,
    function: String,
    counted: Mutex<Counted>,
}

#[derive(Debug, Default)]
struct Counted {
    counts: BTreeMap<&'static str, u64>,
    text_to_webhook: Vec<u64>,
    oldest_due: Option<u64>,
    server_errors: u64,
}

impl EmbeddedMetrics {
    /// Creates the counters for a function of a deployment.
    #[must_use]
    pub fn new(deployment: String, function: String) -> Self {
        Self {
            deployment,
            function,
            counted: Mutex::default(),
        }
    }

    /// Returns the deployment's name.
    #[must_use]
    pub fn deployment(&self) -> &str {
        &self.deployment
    }

    /// Counts an event that is not one of the domain's.
    pub fn count_named(&self, name: &'static str) {
        self.with(|counted| *counted.counts.entry(name).or_default() += 1);
    }

    /// Counts an unsuccessful answer.
    pub fn count_answer(&self, status: StatusCode) {
        match status.as_u16() {
            401 | 403 => self.count_named(REFUSED_CALLER),
            429 => self.count_named(REFUSED_RATE),
            400..500 => self.count_named(REFUSED_REQUEST),
            500.. => self.with(|counted| counted.server_errors += 1),
            _ => {}
        }
    }

    /// Records how long the oldest webhook that a sweep found has been due.
    pub fn record_oldest_due(&self, age: Duration) {
        self.with(|counted| counted.oldest_due = counted.oldest_due.max(Some(age.as_secs())));
    }

    /// Writes a line to standard output, if anything was counted since the last one.
    pub fn write(&self, now: Timestamp) {
        if let Some(line) = self.take(now) {
            // A failure to write cannot be reported either.
            let _ = io::stdout().lock().write_all(&line);
        }
    }

    /// Returns the number of answers with status 500 and above since the last line.
    #[cfg(test)]
    pub(crate) fn server_errors(&self) -> u64 {
        self.with(|counted| counted.server_errors)
    }

    /// Returns a count since the last line.
    #[cfg(test)]
    pub(crate) fn counted(&self, name: &str) -> u64 {
        self.with(|counted| counted.counts.get(name).copied().unwrap_or_default())
    }

    /// Returns the line with all counts, if there are any, and resets them.
    pub(crate) fn take(&self, now: Timestamp) -> Option<Vec<u8>> {
        let mut counted = self.with(std::mem::take);
        counted.text_to_webhook.truncate(MAX_VALUES);
        if counted.is_empty() {
            return None;
        }
        let line = Line {
            metrics: self,
            counted: &counted,
            now,
        };
        let mut line = serde_json::to_vec(&line).ok()?;
        line.push(b'\n');
        Some(line)
    }

    fn with<T>(&self, change: impl FnOnce(&mut Counted) -> T) -> T {
        change(&mut self.counted.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Counted {
    fn is_empty(&self) -> bool {
        !self.has_deployments() && self.server_errors == 0
    }

    /// Returns whether there is a metric with the deployment as its dimension.
    fn has_deployments(&self) -> bool {
        !self.counts.is_empty() || !self.text_to_webhook.is_empty() || self.oldest_due.is_some()
    }

    /// Returns the metrics with the deployment as their dimension, with their units.
    fn described(&self) -> Vec<Metric> {
        let counts = self.counts.keys().map(|name| Metric::count(name));
        let times = (!self.text_to_webhook.is_empty()).then_some(Metric {
            name: TEXT_TO_WEBHOOK,
            unit: "Milliseconds",
        });
        let oldest = self.oldest_due.map(|_| Metric {
            name: OLDEST_DUE,
            unit: "Seconds",
        });
        counts.chain(times).chain(oldest).collect()
    }
}

/// A log line: the values, and under `_aws` which of its members are metrics.
struct Line<'a> {
    metrics: &'a EmbeddedMetrics,
    counted: &'a Counted,
    now: Timestamp,
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counted = self.counted;
        let mut line = serializer.serialize_map(None)?;
        let mut directives = Vec::with_capacity(2);
        if counted.has_deployments() {
            line.serialize_entry(DIMENSION, &self.metrics.deployment)?;
            directives.push(Directive::new(DIMENSION, counted.described()));
        }
        for (name, count) in &counted.counts {
            line.serialize_entry(name, count)?;
        }
        if !counted.text_to_webhook.is_empty() {
            line.serialize_entry(TEXT_TO_WEBHOOK, &counted.text_to_webhook)?;
        }
        if let Some(oldest_due) = counted.oldest_due {
            line.serialize_entry(OLDEST_DUE, &oldest_due)?;
        }
        if counted.server_errors > 0 {
            line.serialize_entry(FUNCTION_DIMENSION, &self.metrics.function)?;
            line.serialize_entry(SERVER_ERROR, &counted.server_errors)?;
            let metrics = vec![Metric::count(SERVER_ERROR)];
            directives.push(Directive::new(FUNCTION_DIMENSION, metrics));
        }
        let metadata = Metadata {
            timestamp: self.now.as_millis(),
            directives,
        };
        line.serialize_entry("_aws", &metadata)?;
        line.end()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Metadata {
    timestamp: u64,
    #[serde(rename = "CloudWatchMetrics")]
    directives: Vec<Directive>,
}

/// The metrics of one dimension.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Directive {
    namespace: &'static str,
    dimensions: [[&'static str; 1]; 1],
    metrics: Vec<Metric>,
}

impl Directive {
    fn new(dimension: &'static str, metrics: Vec<Metric>) -> Self {
        Self {
            namespace: NAMESPACE,
            dimensions: [[dimension]],
            metrics,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Metric {
    name: &'static str,
    unit: &'static str,
}

impl Metric {
    fn count(name: &'static str) -> Self {
        let unit = "Count";
        Self { name, unit }
    }
}

impl Metrics for EmbeddedMetrics {
    fn count(&self, event: &Event, _: Labels<'_>) {
        self.with(|counted| {
            *counted.counts.entry(event.name()).or_default() += 1;
            if let Event::Attempted {
                since_verified: Some(time),
                ..
            } = event
            {
                let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                counted.text_to_webhook.push(millis);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use countersign_domain::delivery::AttemptResult;
    use insta::assert_json_snapshot;
    use serde_json::Value;

    use super::*;

    /// Returns the line with the counts, or `null` if nothing was counted.
    fn take(metrics: &EmbeddedMetrics, now: Timestamp) -> Value {
        let line = metrics.take(now);
        line.map_or(Value::Null, |line| serde_json::from_slice(&line).unwrap())
    }

    fn metrics() -> EmbeddedMetrics {
        EmbeddedMetrics::new("shop".to_owned(), "shop-acquire".to_owned())
    }

    #[test]
    fn server_errors_are_counted_for_the_function() {
        let metrics = metrics();
        metrics.count(&Event::Verified, Labels::default());
        metrics.count_answer(StatusCode::INTERNAL_SERVER_ERROR);
        metrics.count_answer(StatusCode::SERVICE_UNAVAILABLE);
        let line = take(&metrics, Timestamp::from_millis(7));
        assert_json_snapshot!("server_errors", line);
        metrics.count_answer(StatusCode::INTERNAL_SERVER_ERROR);
        metrics.count_answer(StatusCode::OK);
        let line = take(&metrics, Timestamp::from_millis(7));
        assert_eq!(line["server_error"], 1);
        assert_eq!(line["Deployment"], Value::Null);
    }

    #[test]
    fn refusals_are_counted_by_kind() {
        let metrics = metrics();
        for (status, times) in [(401, 1), (403, 1), (429, 3), (400, 1), (404, 1), (422, 2)] {
            for _ in 0..times {
                metrics.count_answer(StatusCode::from_u16(status).unwrap());
            }
        }
        let line = take(&metrics, Timestamp::from_millis(0));
        let kinds = [REFUSED_CALLER, REFUSED_RATE, REFUSED_REQUEST];
        assert_eq!(kinds.map(|kind| line[kind].as_u64()), [2, 3, 4].map(Some));
    }

    #[test]
    fn line_follows_the_embedded_metric_format() {
        let metrics = metrics();
        let now = Timestamp::from_millis(1_767_323_045_678);
        assert_eq!(take(&metrics, now), Value::Null);
        metrics.count(&Event::Verified, Labels::default());
        metrics.count(&Event::Verified, Labels::default());
        metrics.count_named(POINTER_POISONED);
        for millis in [7, 9] {
            let attempted = Event::Attempted {
                result: AttemptResult::Answered(200),
                since_verified: Some(Duration::from_millis(millis)),
            };
            metrics.count(&attempted, Labels::default());
            metrics.record_oldest_due(Duration::from_secs(millis));
        }
        assert_json_snapshot!("counts_and_times", take(&metrics, now));
        assert_eq!(take(&metrics, now), Value::Null, "counts are written once");
    }

    #[test]
    fn line_holds_at_most_a_hundred_values() {
        let metrics = metrics();
        for _ in 0..250 {
            let attempted = Event::Attempted {
                result: AttemptResult::Answered(200),
                since_verified: Some(Duration::ZERO),
            };
            metrics.count(&attempted, Labels::default());
        }
        let line = take(&metrics, Timestamp::from_millis(0));
        assert_eq!(line[TEXT_TO_WEBHOOK].as_array().map(Vec::len), Some(100));
        assert_eq!(line["attempt_succeeded"], 250);
    }
}
