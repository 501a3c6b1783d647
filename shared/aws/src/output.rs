//! Standard output: log lines and metrics, written once for each invocation.
//!
//! Each write is a system call, and Lambda reads standard output line by line, however many lines come
//! at once. Warnings and errors leave at once, with all lines before them: what follows one may be the
//! end of the process. Calls of [`flush`] stand where Lambda may freeze the process.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// Most bytes that wait. A batch may log many lines.
const MAX_WAITING: usize = 64 * 1024;

static WAITING: Mutex<Lines> = Mutex::new(Lines(Vec::new()));

/// Adds a line, which ends with a line feed.
pub(crate) fn add(line: &[u8], leaves: Leaves) {
    let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    let due = waiting.add(line, leaves);
    // A log that cannot be written cannot be reported either.
    let _ = io::stdout().lock().write_all(&due);
    waiting.reuse(due);
}

/// Writes all lines that wait.
pub fn flush() {
    add(b"", Leaves::Now);
}

/// Logs where a panic happened, after all lines that wait: its process ends at once.
///
/// It leaves out the message, which may quote input such as codes and tokens.
pub(crate) fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let at = panic.location().map(tracing::field::display);
        tracing::error!(at, "panicked");
    }));
}

/// When a line is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// With those before it, now.
    Now,
    /// At the end of the invocation.
    Later,
}

/// The lines that wait.
struct Lines(Vec<u8>);

impl Lines {
    /// Adds a line, and returns all that must be written now.
    fn add(&mut self, line: &[u8], leaves: Leaves) -> Vec<u8> {
        self.0.extend_from_slice(line);
        if leaves == Leaves::Now || self.0.len() > MAX_WAITING {
            std::mem::take(&mut self.0)
        } else {
            Vec::new()
        }
    }

    /// Takes a buffer back that was written.
    fn reuse(&mut self, mut written: Vec<u8>) {
        if self.0.capacity() == 0 && written.capacity() <= MAX_WAITING {
            written.clear();
            self.0 = written;
        }
    }
}

/// Takes the log's lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogOutput;

impl<'a> MakeWriter<'a> for LogOutput {
    type Writer = LogLine;

    fn make_writer(&'a self) -> LogLine {
        LogLine(Leaves::Now)
    }

    fn make_writer_for(&'a self, line: &Metadata<'_>) -> LogLine {
        LogLine(if *line.level() <= Level::WARN {
            Leaves::Now
        } else {
            Leaves::Later
        })
    }
}

/// Takes one line of the log, which comes in one piece.
#[derive(Debug)]
pub(crate) struct LogLine(Leaves);

impl Write for LogLine {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        add(line, self.0);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_wait_until_one_leaves() {
        let mut lines = Lines(Vec::new());
        assert!(lines.add(b"one\n", Leaves::Later).is_empty());
        assert!(lines.add(b"two\n", Leaves::Later).is_empty());
        assert_eq!(lines.add(b"three\n", Leaves::Now), b"one\ntwo\nthree\n");
        assert!(lines.add(b"", Leaves::Now).is_empty());
    }

    #[test]
    fn many_lines_do_not_wait() {
        let mut lines = Lines(Vec::new());
        let line = [b'x'; 1000];
        let written = (0..1000).map(|_| lines.add(&line, Leaves::Later));
        let written: Vec<_> = written.filter(|due| !due.is_empty()).collect();
        assert!(written.len() > 10);
        assert!(
            written
                .iter()
                .all(|due| due.len() <= MAX_WAITING + line.len())
        );
    }

    #[test]
    fn warnings_leave_at_once() {
        // The levels are ordered by how much they say.
        assert!(Level::ERROR <= Level::WARN);
        assert!(Level::INFO > Level::WARN);
    }
}
