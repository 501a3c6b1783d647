//! Standard output and standard error.

use std::io::{self, ErrorKind, Write};

use crate::failure::Failure;

/// Writes one line, or several, to standard output.
///
/// A reader that went away (`countersign … | head -1`) is no failure: the command's work was done.
pub(crate) fn say(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::because("standard output", &error))
        }
        _ => Ok(()),
    }
}

/// Writes one line to standard error. There is nowhere to report that this did not work.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
