//! Log lines: JSON objects on standard output, in Lambda's JSON log format.

use std::str::FromStr as _;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Starts logging: this product's crates at `level` and above (Lambda's `AWS_LAMBDA_LOG_LEVEL`, by
/// default `info`), all others at `warn` and above, because their more detailed lines may contain
/// secrets.
pub(super) fn start(level: Option<&str>) {
    log_panics();
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
        .log_internal_errors(false);
    // Fails if logging was already started, in which case nothing changes.
    let _ = tracing_subscriber::registry()
        .with(targets)
        .with(lines)
        .try_init();
}

/// Logs where a panic happened, without its message, which may quote codes and tokens.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let at = panic.location().map(tracing::field::display);
        tracing::error!(at, "panicked");
    }));
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    /// Set in the child process that panics.
    const PANICS: &str = "LOG_TEST_PANICS";

    #[test]
    fn panic_is_logged_without_its_message() {
        if std::env::var_os(PANICS).is_some() {
            super::start(None);
            tracing::info!("before");
            panic!("hunter2");
        }
        let name = "bootstrap::logs::tests::panic_is_logged_without_its_message";
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--nocapture"])
            .env(PANICS, "1")
            .output()
            .unwrap();
        assert!(!child.status.success());
        let log = String::from_utf8(child.stdout).unwrap();
        let mut lines = log
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let (before, panicked) = (lines.next().unwrap(), lines.next().unwrap());
        assert_eq!(before["message"], "before");
        assert_eq!(
            (&panicked["message"], &panicked["level"]),
            (&"panicked".into(), &"ERROR".into())
        );
        let at = panicked["at"].as_str().unwrap();
        assert!(at.contains("logs.rs:"), "{at}");
        let errors = String::from_utf8(child.stderr).unwrap();
        assert!(!log.contains("hunter2") && !errors.contains("hunter2"));
    }
}
