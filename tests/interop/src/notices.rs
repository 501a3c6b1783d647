//! Messages that are shown even when a test passes.

use std::fs::File;
use std::io::Write;

/// Prints `message` to standard error. The harness captures `eprintln!`, but not this.
pub fn announce(message: &str) {
    // A failed write is ignored, because nothing reads it.
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// Reports that `test` did not run and what it lacks, as `CONTRIBUTING.md` describes: on standard error, and
/// in the file that `COUNTERSIGN_SKIP_LOG` names.
pub fn skip(test: &str, missing: &str) {
    let line = format!("SKIPPED: {test}: {missing}");
    announce(&line);
    if let Some(log) = std::env::var_os("COUNTERSIGN_SKIP_LOG") {
        let log = File::options().create(true).append(true).open(log);
        let mut log = log.expect("COUNTERSIGN_SKIP_LOG can be written");
        writeln!(log, "{line}").expect("COUNTERSIGN_SKIP_LOG can be written");
    }
}
