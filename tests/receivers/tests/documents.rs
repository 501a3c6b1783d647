//! Checks that facts in `docs/webhooks.md` match the code.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::time::Duration;

use countersign_domain::delivery::{ATTEMPTS_PER_ROUND, Jitter, delay_before};

const PAGE: &str = include_str!("../../../docs/webhooks.md");

/// Formats a duration as `1 h 13 min 52 s`, without parts that are zero.
fn spelled(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let parts = [
        (seconds / 3600, "h"),
        (seconds / 60 % 60, "min"),
        (seconds % 60, "s"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, unit)| format!("{number} {unit}"))
        .collect();
    if parts.is_empty() {
        "0 s".to_owned()
    } else {
        parts.join(" ")
    }
}

#[test]
fn documented_retry_schedule_matches_the_code() {
    let mut since_first = Duration::ZERO;
    let mut table = String::new();
    for made in 0..ATTEMPTS_PER_ROUND {
        let wait = delay_before(made, None, Jitter::NONE).unwrap();
        since_first += wait;
        let wait = if wait.is_zero() {
            "none".to_owned()
        } else {
            spelled(wait)
        };
        writeln!(
            table,
            "| {} | {wait} | {} |",
            made + 1,
            spelled(since_first)
        )
        .unwrap();
    }
    assert!(
        PAGE.contains(&format!("|---|---|---|\n{table}\n")),
        "{table}"
    );
}
