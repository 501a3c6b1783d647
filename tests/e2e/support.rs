//! Helpers for the tests: a running server, a client, and receivers.

mod console;
mod http;
mod login;
mod provider;
mod receiver;
mod server;

pub(crate) use console::Console;
pub(crate) use http::{Answer, Http};
pub(crate) use login::{Browser, Phone};
pub(crate) use provider::deliver_text;
pub(crate) use receiver::{ClosedReceiver, Receiver};
pub(crate) use server::{Facts, Server, count_of, countersign, data_dir};

use std::fs::File;
use std::future::Future;
use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Time after which a test counts as hung. This timeout measures nothing. It is longer than the minute
/// between two sweeps, and longer than the delay before the next attempt to a receiver that was down for a
/// minute.
pub(crate) const HUNG: Duration = Duration::from_mins(4);

/// Awaits a future, and panics if it hangs.
pub(crate) async fn unless_hung<T>(what: &str, future: impl Future<Output = T>) -> T {
    let in_time = tokio::time::timeout(HUNG, future).await;
    in_time.unwrap_or_else(|_| panic!("hung: {what}"))
}

/// Repeats a real request until it returns an answer.
pub(crate) async fn until<T, A>(what: &str, mut ask: A) -> T
where
    A: AsyncFnMut() -> Option<T>,
{
    let began = Instant::now();
    loop {
        if let Some(value) = ask().await {
            return value;
        }
        assert!(began.elapsed() < HUNG, "hung: {what}");
        tokio::task::yield_now().await;
    }
}

/// Reports that a test was skipped and what it lacks, as CONTRIBUTING.md describes.
pub(crate) fn skip(test: &str, missing: &str) {
    let line = format!("SKIPPED: {test}: {missing}");
    // The test harness captures `eprintln!`, but not this.
    let _ = writeln!(std::io::stderr(), "{line}");
    if let Some(log) = std::env::var_os("COUNTERSIGN_SKIP_LOG") {
        let mut log = File::options().create(true).append(true).open(log).unwrap();
        writeln!(log, "{line}").unwrap();
    }
}

/// Compares a command's output with the service's answer, ignoring the times at which the two were
/// made.
pub(crate) fn expect_same(mut printed: Value, mut answered: Value) {
    for found in [&mut printed, &mut answered] {
        found["serverTime"] = Value::Null;
        found["expiresIn"] = Value::Null;
    }
    assert_eq!(printed, answered);
}
