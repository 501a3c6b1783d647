//! Standard output, standard error, and commands for people to copy.

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::failure::Failure;

/// Time limit for writing an error message. After that the command ends without it.
const COMPLAINT_TIMEOUT: Duration = Duration::from_secs(2);

/// Writes one or more lines to standard output.
///
/// A reader that went away (`countersign … | head -1`) is not a failure: the command has done its
/// work.
pub(crate) fn say(text: &str) -> Result<(), Failure> {
    match write(text) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(failure(&error)),
        _ => Ok(()),
    }
}

/// Writes to standard output for a command that only shows something: a missing reader is a
/// failure.
pub(crate) fn show(text: &str) -> Result<(), Failure> {
    write(text).map_err(|error| failure(&error))
}

/// Writes to standard output from a separate thread, so that a server never waits for a reader.
pub(crate) fn say_aside(text: String) {
    // If no thread can be started, the text is lost.
    let _ = thread::Builder::new().spawn(move || {
        if let Err(failure) = say(&text) {
            tracing::warn!(cause = %failure, "cannot print the greeting");
        }
    });
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

fn failure(error: &io::Error) -> Failure {
    Failure::because("standard output", error)
}

/// Returns the beginning of every command line for this data directory.
pub(crate) fn command(data: &Path) -> String {
    let program = std::env::args()
        .next()
        .unwrap_or_else(|| "countersign".to_owned());
    let data = data.display().to_string();
    if data == ".countersign" {
        program
    } else {
        format!("{program} --data '{data}'")
    }
}

/// Writes one line to standard error. Failures are ignored, since there is nowhere to report them,
/// and a slow reader delays the command only briefly.
pub(crate) fn complain(text: &str) {
    let line = format!("{text}\n");
    let (done, written) = mpsc::channel();
    let writing = thread::Builder::new().spawn(move || {
        let _ = io::stderr().lock().write_all(line.as_bytes());
        let _ = done.send(());
    });
    if writing.is_ok() {
        let _ = written.recv_timeout(COMPLAINT_TIMEOUT);
    }
}
