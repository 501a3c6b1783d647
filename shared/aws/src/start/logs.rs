//! Log lines: JSON objects on standard output, in Lambda's JSON log format.

use std::str::FromStr as _;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::output::{self, LogOutput};

/// Starts logging: this product's crates from `level` on (Lambda's `AWS_LAMBDA_LOG_LEVEL`, by default
/// `info`), all others from `warn` on, because their finer lines may hold secrets.
pub(super) fn start(level: Option<&str>) {
    output::flush_on_panic();
    let ours = level
        .and_then(|level| LevelFilter::from_str(level).ok())
        .unwrap_or(LevelFilter::INFO);
    let targets = Targets::new()
        .with_default(LevelFilter::WARN.min(ours))
        .with_target("countersign", ours);
    let lines = fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_target(false)
        // Internal errors are reported with `eprintln!`, which panics if it cannot write.
        .log_internal_errors(false)
        .with_writer(LogOutput);
    // Fails if logging was started before, which changes nothing.
    let _ = tracing_subscriber::registry()
        .with(targets)
        .with(lines)
        .try_init();
}
