//! Standard output and standard error, and what people are told to type.

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::failure::Failure;

/// How long a complaint may take to be written. If nobody reads it, the command ends without.
const COMPLAINT_TIMEOUT: Duration = Duration::from_secs(2);

/// Writes one line, or several, to standard output.
///
/// A reader that went away (`countersign … | head -1`) is no failure: the command's work was done.
pub(crate) fn say(text: &str) -> Result<(), Failure> {
    match write(text) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::of(&error)),
        _ => Ok(()),
    }
}

/// The same, for a command whose work is to show something: a reader that went away is a failure.
pub(crate) fn show(text: &str) -> Result<(), Failure> {
    write(text).map_err(|error| Failure::of(&error))
}

/// The same on a thread of its own, for a server: it works whether or not anybody reads.
pub(crate) fn say_aside(text: String) {
    // Without a thread there is nothing to say it with.
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

/// How this command was called, for the data in this directory: what other calls begin with.
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

/// Writes one line to standard error. There is nowhere to report that this did not work, and nobody
/// waits long for a reader.
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
