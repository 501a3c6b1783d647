//! Where log lines go: standard output, one JSON object each, as Lambda's JSON log format has them.

use std::io;
use std::str::FromStr as _;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Begins logging: our own crates from `level` on (Lambda's `AWS_LAMBDA_LOG_LEVEL`, else `info`),
/// all others from `warn` on, since their finer lines may hold what passes through them.
pub fn begin(level: Option<&str>) {
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
        // It reports its own trouble with `eprintln!`, which panics where that cannot be written.
        .log_internal_errors(false)
        .with_writer(io::stdout);
    // A second call changes nothing.
    let _ = tracing_subscriber::registry()
        .with(targets)
        .with(lines)
        .try_init();
}
