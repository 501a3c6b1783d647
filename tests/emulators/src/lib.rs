//! Starts AWS emulators on loopback for the tests that need them.
//!
//! | Emulator | What it is | Variable |
//! |---|---|---|
//! | [`ministack`] | many AWS services, a Python program | `COUNTERSIGN_MINISTACK`: the executable |
//! | [`dynamodb_local`] | Amazon's own DynamoDB for development, a Java program | `COUNTERSIGN_DYNAMODB_LOCAL`: the folder with its jars |
//!
//! A test that lacks its emulator reports itself as skipped with [`skip`]. An emulator keeps everything in
//! memory, listens on a port that the system chose, and ends with the process that started it, even if that
//! process is killed.
#![allow(
    clippy::expect_used,
    reason = "a failure here fails the test that needs the emulator"
)]

pub mod dynamodb_local;
mod emulator;
pub mod ministack;
mod supervised;

use std::fmt;
use std::fs::File;
use std::io::Write;

pub use emulator::Emulator;

/// The description of something that a test needs and this machine lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing(String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reports on standard error, and in the file named by `COUNTERSIGN_SKIP_LOG`, that `test` was skipped and
/// what it lacks, as `CONTRIBUTING.md` describes.
///
/// # Panics
/// Panics if that file cannot be written.
pub fn skip(test: &str, missing: &Missing) {
    let line = format!("SKIPPED: {test}: {missing}");
    // The test harness captures `eprintln!`, but not this. A failed write is ignored, because nobody
    // could act on it.
    let _ = writeln!(std::io::stderr(), "{line}");
    if let Some(log) = std::env::var_os("COUNTERSIGN_SKIP_LOG") {
        let log = File::options().create(true).append(true).open(log);
        let mut log = log.expect("COUNTERSIGN_SKIP_LOG can be written");
        writeln!(log, "{line}").expect("COUNTERSIGN_SKIP_LOG can be written");
    }
}

/// Returns the path that an environment variable contains.
fn named_by(variable: &str) -> Result<std::path::PathBuf, Missing> {
    match std::env::var_os(variable) {
        Some(path) if !path.is_empty() => Ok(path.into()),
        _ => Err(Missing(format!("{variable} is not set"))),
    }
}
