//! `docs/webhooks.md` says what the code does.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write as _;
use std::time::Duration;

use countersign_domain::delivery::{ATTEMPTS, Jitter, delay_before};

const PAGE: &str = include_str!("../../../docs/webhooks.md");

/// `1 h 13 min 52 s`: the parts that are not zero.
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
fn the_retry_schedule_is_the_codes() {
    let mut since_first = Duration::ZERO;
    let mut table = String::new();
    for made in 0..ATTEMPTS {
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
