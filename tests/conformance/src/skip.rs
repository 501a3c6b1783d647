//! Reports tests that are skipped because a tool is missing.

use std::fs::File;
use std::io::Write as _;

/// Reports on stderr, and in the file named by `COUNTERSIGN_SKIP_LOG`, that `test` was skipped and
/// what is missing, as `CONTRIBUTING.md` prescribes.
///
/// # Panics
/// If the log file cannot be written.
#[expect(
    clippy::expect_used,
    reason = "a skip that is not reported is a failure"
)]
pub fn skip(test: &str, missing: &str) {
    let line = format!("SKIPPED: {test}: {missing}");
    // The test harness captures `eprintln!`, but not this.
    let _ = writeln!(std::io::stderr(), "{line}");
    if let Some(log) = std::env::var_os("COUNTERSIGN_SKIP_LOG") {
        let log = File::options().create(true).append(true).open(log);
        let mut log = log.expect("COUNTERSIGN_SKIP_LOG can be written");
        writeln!(log, "{line}").expect("COUNTERSIGN_SKIP_LOG can be written");
    }
}
