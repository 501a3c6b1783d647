//! Messages that are shown even when a test passes.

use std::fs::File;
use std::io::Write;

/// Prints `message` to standard error. The test harness captures `eprintln!`, but not this.
pub fn announce(message: &str) {
    // A failed write is ignored, because no one could act on it.
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// Reports on standard error, and in the file named by `COUNTERSIGN_SKIP_LOG`, that `test` was skipped and
/// what it lacks, as `CONTRIBUTING.md` describes.
pub fn skip(test: &str, missing: &str) {
    let line = format!("SKIPPED: {test}: {missing}");
    announce(&line);
    if let Some(log) = std::env::var_os("COUNTERSIGN_SKIP_LOG") {
        let log = File::options().create(true).append(true).open(log);
        let mut log = log.expect("COUNTERSIGN_SKIP_LOG can be written");
        writeln!(log, "{line}").expect("COUNTERSIGN_SKIP_LOG can be written");
    }
}
