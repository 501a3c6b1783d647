//! What a test says even when it passes.

use std::fs::File;
use std::io::Write;

/// Says `message` on standard error: the harness captures `eprintln!`, but not this.
pub fn announce(message: &str) {
    // Nothing is lost where nobody listens.
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// Says that `test` did not run and what it misses, by the convention of `CONTRIBUTING.md`: aloud,
/// and in the file that `COUNTERSIGN_SKIP_LOG` names.
pub fn skip(test: &str, missing: &str) {
    let line = format!("SKIPPED: {test}: {missing}");
    announce(&line);
    if let Some(log) = std::env::var_os("COUNTERSIGN_SKIP_LOG") {
        let log = File::options().create(true).append(true).open(log);
        let mut log = log.expect("COUNTERSIGN_SKIP_LOG can be written");
        writeln!(log, "{line}").expect("COUNTERSIGN_SKIP_LOG can be written");
    }
}
