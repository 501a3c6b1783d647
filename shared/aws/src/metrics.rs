//! Counters in CloudWatch's embedded metric format: CloudWatch makes metrics of a line of JSON in
//! the log.
//!
//! Source: "Specification: Embedded metric format", Amazon CloudWatch User Guide. Each invocation
//! writes one line at its end.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};

use countersign_domain::event::{Event, Metrics};
use countersign_domain::primitives::time::Timestamp;
use serde_json::{Map, Value, json};

/// Namespace of all metrics.
pub const NAMESPACE: &str = "Countersign";

/// Dimension of all metrics but one: the deployment's name. Never a confirmation, app or person.
pub const DIMENSION: &str = "Deployment";

/// Dimension of [`SERVER_ERROR`]: the function's name, as in Lambda's own metrics.
pub const FUNCTION_DIMENSION: &str = "FunctionName";

/// Metric: answers of 500 and above.
pub const SERVER_ERROR: &str = "server_error";

/// Metric: milliseconds from the arrival of a text to the end of its webhook's first attempt.
pub const TEXT_TO_WEBHOOK: &str = "text_to_webhook";

/// Metric: messages of the topic that could not be read.
pub const TEXT_POISONED: &str = "text_poisoned";

/// Metric: failures to read the settings of SMS providers anew, or settings that were refused.
pub const PROVIDERS_UNREADABLE: &str = "providers_unreadable";

/// Metric: messages of a queue that could not be read.
pub const POINTER_POISONED: &str = "pointer_poisoned";

/// Largest number of values of one metric in a line (the specification's limit).
const MAX_VALUES: usize = 100;

/// Collects counts until [`EmbeddedMetrics::flush`] writes them.
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
    server_errors: u64,
}

impl EmbeddedMetrics {
    /// Counts for a function of a deployment.
    #[must_use]
    pub fn new(deployment: String, function: String) -> Self {
        Self {
            deployment,
            function,
            counted: Mutex::default(),
        }
    }

    /// Counts something other than an event of the domain.
    pub fn count_named(&self, name: &'static str) {
        self.with(|counted| *counted.counts.entry(name).or_default() += 1);
    }

    /// Counts an answer of 500 or above.
    pub fn count_server_error(&self) {
        self.with(|counted| counted.server_errors += 1);
    }

    /// Writes a line to standard output, if anything was counted since the last one.
    pub fn flush(&self, now: Timestamp) {
        if let Some(line) = self.take(now) {
            // A log that cannot be written cannot be reported either.
            let _ = writeln!(io::stdout().lock(), "{line}");
        }
    }

    /// Returns the number of answers of 500 and above since the last line.
    #[cfg(test)]
    pub(crate) fn server_errors(&self) -> u64 {
        self.with(|counted| counted.server_errors)
    }

    /// Returns a count since the last line.
    #[cfg(test)]
    pub(crate) fn counted(&self, name: &str) -> u64 {
        self.with(|counted| counted.counts.get(name).copied().unwrap_or_default())
    }

    fn take(&self, now: Timestamp) -> Option<Value> {
        let Counted {
            counts,
            mut text_to_webhook,
            server_errors,
        } = self.with(std::mem::take);
        text_to_webhook.truncate(MAX_VALUES);
        if counts.is_empty() && text_to_webhook.is_empty() && server_errors == 0 {
            return None;
        }
        let mut metrics: Vec<Value> = counts
            .keys()
            .map(|name| json!({ "Name": name, "Unit": "Count" }))
            .collect();
        let mut directives = Vec::new();
        let mut line = Map::new();
        for (name, count) in counts {
            line.insert(name.to_owned(), json!(count));
        }
        if !text_to_webhook.is_empty() {
            metrics.push(json!({ "Name": TEXT_TO_WEBHOOK, "Unit": "Milliseconds" }));
            line.insert(TEXT_TO_WEBHOOK.to_owned(), json!(text_to_webhook));
        }
        if !metrics.is_empty() {
            line.insert(DIMENSION.to_owned(), json!(self.deployment));
            directives.push(directive(DIMENSION, &metrics));
        }
        if server_errors > 0 {
            line.insert(FUNCTION_DIMENSION.to_owned(), json!(self.function));
            line.insert(SERVER_ERROR.to_owned(), json!(server_errors));
            let metric = json!({ "Name": SERVER_ERROR, "Unit": "Count" });
            directives.push(directive(FUNCTION_DIMENSION, &[metric]));
        }
        line.insert(
            "_aws".to_owned(),
            json!({ "Timestamp": now.as_millis(), "CloudWatchMetrics": directives }),
        );
        Some(Value::Object(line))
    }

    fn with<T>(&self, change: impl FnOnce(&mut Counted) -> T) -> T {
        change(&mut self.counted.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Describes the metrics of one dimension.
fn directive(dimension: &str, metrics: &[Value]) -> Value {
    json!({ "Namespace": NAMESPACE, "Dimensions": [[dimension]], "Metrics": metrics })
}

impl Metrics for EmbeddedMetrics {
    fn count(&self, event: &Event) {
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
    use std::time::Duration;

    use countersign_domain::delivery::AttemptResult;
    use insta::assert_json_snapshot;

    use super::*;

    fn metrics() -> EmbeddedMetrics {
        EmbeddedMetrics::new("shop".to_owned(), "shop-acquire".to_owned())
    }

    #[test]
    fn server_errors_are_counted_for_the_function() {
        let metrics = metrics();
        metrics.count(&Event::Verified);
        metrics.count_server_error();
        metrics.count_server_error();
        let line = metrics.take(Timestamp::from_millis(7));
        assert_json_snapshot!("server_errors", line);
        metrics.count_server_error();
        let line = metrics.take(Timestamp::from_millis(7)).unwrap_or_default();
        assert_eq!(line["server_error"], 1);
        assert_eq!(line["Deployment"], Value::Null);
    }

    #[test]
    fn line_follows_the_embedded_metric_format() {
        let metrics = metrics();
        let now = Timestamp::from_millis(1_767_323_045_678);
        assert_eq!(metrics.take(now), None);
        metrics.count(&Event::Verified);
        metrics.count(&Event::Verified);
        metrics.count_named(POINTER_POISONED);
        for millis in [7, 9] {
            metrics.count(&Event::Attempted {
                result: AttemptResult::Answered(200),
                since_verified: Some(Duration::from_millis(millis)),
            });
        }
        assert_json_snapshot!("counts_and_times", metrics.take(now));
        assert_eq!(metrics.take(now), None, "counts are written once");
    }

    #[test]
    fn line_holds_at_most_a_hundred_values() {
        let metrics = metrics();
        for _ in 0..250 {
            metrics.count(&Event::Attempted {
                result: AttemptResult::Answered(200),
                since_verified: Some(Duration::ZERO),
            });
        }
        let line = metrics.take(Timestamp::from_millis(0)).unwrap_or_default();
        assert_eq!(line[TEXT_TO_WEBHOOK].as_array().map(Vec::len), Some(100));
        assert_eq!(line["attempt_succeeded"], 250);
    }
}
