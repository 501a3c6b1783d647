//! Standard output and standard error, and what people are told to type.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

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

/// Writes one line to standard error. There is nowhere to report that this did not work.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
