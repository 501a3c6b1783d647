//! Hourly totals of a deployment: the functions' metrics in CloudWatch.

use std::ops::Range;
use std::time::Duration;

use aws_sdk_cloudwatch::config::Builder;
use aws_sdk_cloudwatch::error::ProvideErrorMetadata as _;
use aws_sdk_cloudwatch::primitives::DateTime;
use aws_sdk_cloudwatch::types::{
    Dimension, Metric, MetricDataQuery, MetricDataResult, MetricStat, ScanBy, StatusCode,
};
use aws_sdk_cloudwatch::{Client, Error};
use aws_smithy_types::timeout::TimeoutConfig;
use countersign_api::Causes;
use countersign_aws::metrics::{DIMENSION, NAMESPACE};
use countersign_aws::services::Services;
use countersign_domain::confirmation::transitions::VerifyRefusal;
use countersign_domain::event::{Event, LoginEvent, Miss};
use countersign_domain::hourly::{Counted, Hour, Series, Step, Sums};
use countersign_domain::primitives::time::Timestamp;

use crate::admin::deployment::tags;
use crate::admin::history::History;
use crate::admin::sentence::Sentence;

/// The tag that holds the deployment's name, the dimension of its metrics.
const DEPLOYMENT_TAG: &str = "countersign:deployment";

/// CloudWatch keeps sums by the hour for 455 days, longer than a history is asked for.
const PERIOD: Duration = Duration::from_hours(1);

/// Largest number of pages that are read for an answer. 90 days of all metrics are 15,120 values, and a page has up
/// to 100,800.
const MAX_PAGES: usize = 10;

/// Time limit for an answer. One with 90 days takes longer than the short calls to other services.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The metrics of the functions for each step.
const METRICS: [(Step, Event); 8] = [
    (Step::Started, Event::Created),
    (Step::Texted, Event::Verified),
    (Step::Texted, missed(VerifyRefusal::WrongSender)),
    (Step::Texted, missed(VerifyRefusal::NumberTypeRefused)),
    (Step::Texted, missed(VerifyRefusal::Expired)),
    (Step::Verified, Event::Verified),
    (Step::Delivered, Event::Delivered),
    (Step::LoggedIn, Event::Login(LoginEvent::Confirmed)),
];

const NOTE: &str = "These are the totals of CloudWatch's metrics, where the last minutes may still be missing. \"texted\" \
                    counts texts: a second one with the same code counts again.";

/// Returns the reason why counts by app, country or provider come from the table.
pub(super) fn only_totals() -> Sentence {
    Sentence::new(
        "history_only_totals",
        "CloudWatch has totals only, so these counts come from the table.",
        [],
    )
}

fn missing(cause: &str) -> Sentence {
    Sentence::new(
        "history_without_totals",
        "CloudWatch's totals are missing: {cause}.",
        [("cause", &cause)],
    )
}

const fn missed(refusal: VerifyRefusal) -> Event {
    Event::TextMissed(Miss::Refused(refusal))
}

/// Returns the totals of some hours, or the reason why they cannot be read.
pub(super) async fn of_metrics(
    services: &Services,
    table: &str,
    hours: &Range<Hour>,
) -> Result<History, Sentence> {
    let mut sums = Sums::new(None);
    let mut gaps = Vec::new();
    if !hours.is_empty() {
        let deployment = deployment(services, table).await;
        let deployment = deployment.map_err(|cause| missing(&cause))?;
        let results = read(services, &deployment, hours).await;
        let results = results.map_err(|cause| missing(&cause))?;
        let is_partial = results
            .iter()
            .any(|result| result.status_code != Some(StatusCode::Complete));
        if is_partial {
            gaps.push(Sentence::new(
                "history_partial_totals",
                "CloudWatch left counts out.",
                [],
            ));
        }
        add(&mut sums, &results);
    }
    let note = Sentence::new("history_totals", NOTE, []);
    Ok(History::new(None, sums, gaps, vec![note]))
}

/// Returns the deployment's name.
async fn deployment(services: &Services, table: &str) -> Result<String, String> {
    let tags = tags(services, table).await;
    let mut tags = tags.map_err(|cause| {
        format!(
            "the tags of the table, which name the deployment, cannot be read (dynamodb:DescribeTable and \
             dynamodb:ListTagsOfResource): {cause}"
        )
    })?;
    tags.remove(DEPLOYMENT_TAG).ok_or_else(|| {
        format!(
            "the table has no tag {DEPLOYMENT_TAG}; deploy this version, or copy the tags of the table before it"
        )
    })
}

/// Reads the values of all metrics. A metric has a result on each page.
async fn read(
    services: &Services,
    deployment: &str,
    hours: &Range<Hour>,
) -> Result<Vec<MetricDataResult>, String> {
    let timeout = TimeoutConfig::builder()
        .operation_attempt_timeout(TIMEOUT)
        .operation_timeout(TIMEOUT);
    let config = Builder::from(services.sdk()).timeout_config(timeout.build());
    let client = Client::from_conf(config.build());
    let pages = client
        .get_metric_data()
        .set_metric_data_queries(Some(queries(deployment)))
        .start_time(instant(hours.start))
        .end_time(instant(hours.end))
        .scan_by(ScanBy::TimestampAscending)
        .into_paginator()
        .send();
    let mut pages = pages;
    let mut results = Vec::new();
    for _ in 0..MAX_PAGES {
        match pages.next().await {
            Some(Ok(page)) => results.extend(page.metric_data_results.unwrap_or_default()),
            Some(Err(error)) => return Err(failure(&error.into())),
            None => return Ok(results),
        }
    }
    Err("the answer has too many pages".to_owned())
}

fn failure(error: &Error) -> String {
    let cause = match (error.code(), error.message()) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code.to_owned(),
        (None, _) => Causes(error).to_string(),
    };
    format!("cloudwatch:GetMetricData failed: {cause}")
}

/// Returns a query for each event of [`METRICS`]. Its label is the metric's name.
fn queries(deployment: &str) -> Vec<MetricDataQuery> {
    let dimension = Dimension::builder()
        .name(DIMENSION)
        .value(deployment)
        .build();
    let mut names: Vec<&str> = METRICS.iter().map(|(_, event)| event.name()).collect();
    names.sort_unstable();
    names.dedup();
    let queries = names.into_iter().map(|name| {
        let metric = Metric::builder()
            .namespace(NAMESPACE)
            .metric_name(name)
            .dimensions(dimension.clone());
        let stat = MetricStat::builder()
            .metric(metric.build())
            .period(i32::try_from(PERIOD.as_secs()).unwrap_or(i32::MAX))
            .stat("Sum");
        // Each metric costs the same, whatever the number of its values.
        MetricDataQuery::builder()
            .id(name)
            .label(name)
            .metric_stat(stat.build())
            .build()
    });
    queries.collect()
}

/// Adds up the values of all metrics.
fn add(sums: &mut Sums, results: &[MetricDataResult]) {
    for result in results {
        let steps = METRICS
            .iter()
            .filter(|(_, event)| result.id.as_deref() == Some(event.name()));
        for (step, _) in steps {
            for (at, value) in result.timestamps().iter().zip(result.values()) {
                let at = u64::try_from(at.secs()).unwrap_or_default();
                let counted = Counted {
                    hour: Hour::of(Timestamp::from_millis(at.saturating_mul(1000))),
                    series: Series::default(),
                    step: *step,
                };
                sums.add(&counted, whole(*value));
            }
        }
    }
}

/// Returns a sum of counts, which has no fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion saturates"
)]
const fn whole(value: f64) -> u64 {
    value.round() as u64
}

fn instant(hour: Hour) -> DateTime {
    DateTime::from_secs(i64::try_from(hour.start().as_secs()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Hour = Hour(490_923);

    fn result(event: Event, values: &[(u64, f64)]) -> MetricDataResult {
        let (mut at, mut counts) = (Vec::new(), Vec::new());
        for (hour, value) in values {
            at.push(instant(Hour(HOUR.0 + hour)));
            counts.push(*value);
        }
        MetricDataResult::builder()
            .id(event.name())
            .set_timestamps(Some(at))
            .set_values(Some(counts))
            .build()
    }

    #[test]
    fn each_metric_is_asked_for_once() {
        let queries = queries("shop");
        let mut ids: Vec<_> = queries.iter().filter_map(MetricDataQuery::id).collect();
        assert_eq!(ids.len(), 7);
        ids.dedup();
        assert_eq!(ids.len(), 7);
        // CloudWatch's rule for ids.
        let is_valid = |id: &&str| {
            id.starts_with(|first: char| first.is_ascii_lowercase())
                && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        assert!(ids.iter().all(is_valid), "{ids:?}");
    }

    #[test]
    fn values_of_several_pages_and_metrics_add_up() {
        let mut sums = Sums::new(None);
        let results = [
            result(Event::Created, &[(0, 9.0), (2, 1.0)]),
            result(Event::Verified, &[(0, 3.0)]),
            result(missed(VerifyRefusal::WrongSender), &[(0, 2.0)]),
            result(Event::Delivered, &[(2, 4.0)]),
            result(Event::Verified, &[(2, 4.0)]),
            result(Event::Replayed, &[(0, 100.0)]),
        ];
        add(&mut sums, &results);
        let hours = sums.into_hours(1);
        let counts = |step| {
            let counts = hours
                .iter()
                .map(|sum| (sum.hour.0 - HOUR.0, sum.counts.get(step)));
            counts.collect::<Vec<_>>()
        };
        assert_eq!(counts(Step::Started), [(0, 9), (2, 1)]);
        assert_eq!(counts(Step::Texted), [(0, 5), (2, 4)]);
        assert_eq!(counts(Step::Verified), [(0, 3), (2, 4)]);
        assert_eq!(counts(Step::Delivered), [(0, 0), (2, 4)]);
        assert_eq!(counts(Step::LoggedIn), [(0, 0), (2, 0)]);
    }
}
