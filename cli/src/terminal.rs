//! Standard output, standard error, and command lines for users to copy.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::failure::Failure;

/// Timeout for writing an error message. After the timeout the command exits without the message.
const COMPLAINT_TIMEOUT: Duration = Duration::from_secs(2);

/// Writes one or more lines to standard output.
///
/// A closed pipe (`countersign … | head -1`) is not a failure: the command has done its work.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    match write(text) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(failure(&error)),
        _ => Ok(()),
    }
}

/// Writes to standard output for a command whose only purpose is the output: a closed pipe is a
/// failure.
pub(crate) fn show(text: &str) -> Result<(), Failure> {
    write(text).map_err(|error| failure(&error))
}

/// Writes to standard output from a separate thread, so that a slow reader never blocks a server.
pub(crate) fn print_aside(text: String) {
    // If no thread can be started, the text is lost.
    let _ = thread::Builder::new().spawn(move || {
        if let Err(failure) = print(&text) {
            tracing::warn!(cause = %failure, "cannot print the greeting");
        }
    });
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", harmless(text))?;
    out.flush()
}

/// Escapes characters that a terminal interprets or hides. The JSON keeps its meaning.
fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || c == '\t' || !is_obeyed(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

/// Replaces the characters in a service's line that a terminal would interpret. Removes the
/// bidirectional isolates that the service puts around names in right-to-left languages, because
/// most terminals cannot render them.
pub(crate) fn plain(text: &str) -> String {
    let is_isolate = |c: &char| matches!(c, '\u{2066}' | '\u{2068}' | '\u{2069}');
    let harmless = |c: char| if is_obeyed(c) { '\u{fffd}' } else { c };
    let kept = text.chars().filter(|c| !is_isolate(c));
    kept.map(harmless).collect()
}

/// Returns whether a terminal interprets the character or shows nothing for it: control characters,
/// line separators, bidirectional marks (UAX 9), and characters invisible in every script.
pub(crate) fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'
            | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

fn failure(error: &io::Error) -> Failure {
    Failure::because("standard output", error)
}

/// Returns this program's name, as the user invoked it.
pub(crate) fn program() -> String {
    std::env::args()
        .next()
        .unwrap_or_else(|| "countersign".to_owned())
}

/// Returns the beginning of every command line for this data directory.
pub(crate) fn command(data: &Path) -> String {
    let program = program();
    let data = data.display().to_string();
    if data == ".countersign" {
        program
    } else {
        format!("{program} --data '{data}'")
    }
}

/// Writes to standard error. Ignores errors, which could not be reported anywhere; a slow reader
/// delays the command only briefly.
pub(crate) fn complain(text: &str) {
    complain_in_colour(&harmless(text));
}

/// Writes one of this program's own texts, which sets colors, to standard error.
pub(crate) fn complain_in_colour(text: &str) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        let shown = harmless("a\u{1b}[2J\u{202e}b\u{9b}\u{200b}c\r\u{7f}\u{e0041}\n\td");
        let escaped = r"a\u001b[2J\u202eb\u009b\u200bc\u000d\u007f\udb40\udc41";
        assert_eq!(shown, format!("{escaped}\n\td"));
        for same in [
            "Grüße, Zoë 👩\u{200d}🚀 ❤\u{fe0f}",
            "می\u{200c}خواهم",
            "{\"a\":\"\\u202e\"}",
        ] {
            assert_eq!(harmless(same), same);
        }
    }

    #[test]
    fn escaped_json_means_the_same() {
        let value = serde_json::json!({"city": "K\u{9b}2J\u{202e}öln \u{7f}\u{1f600}\u{e0041}"});
        let written = harmless(&value.to_string());
        assert!(!written.chars().any(is_obeyed), "{written:?}");
        let read: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert_eq!(read, value);
    }
}
