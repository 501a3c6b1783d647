//! Log lines on standard error, written by a dedicated thread.
//!
//! Logging never blocks and never fails. If nothing reads standard error, the thread's queue fills up
//! and further lines are dropped and counted; a line reports the loss once reading resumes.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{fmt, registry};

use crate::metrics::{Counters, ServerEvent};

/// Maximum number of lines waiting to be written.
const MAX_WAITING: usize = 2_000;

/// Pause before retrying when standard error is non-blocking and full.
const RETRY_PAUSE: Duration = Duration::from_millis(50);

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Text for humans.
    Text,
    /// One JSON object per line, for machines.
    Json,
}

/// The running log; dropping it waits briefly for lines that are not written yet.
#[must_use]
pub(crate) struct Log(Option<WorkerGuard>);

impl Drop for Log {
    fn drop(&mut self) {
        let guard = self.0.take();
        // Drop the guard in a separate thread, because it panics if it prints a warning and standard
        // output is closed.
        let _ = thread::spawn(move || drop(guard)).join();
    }
}

/// Starts logging, and counts dropped lines. A second call changes nothing.
pub(crate) fn begin(format: LogFormat, counters: &Arc<Counters>) -> Log {
    // Uses a separate descriptor: blocking while holding the lock of `io::stderr` would block every
    // other user of it.
    let Ok(stderr) = io::stderr().as_fd().try_clone_to_owned() else {
        return Log(None);
    };
    let (lines, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(MAX_WAITING)
        .thread_name("countersign-log")
        .finish(Lines {
            out: File::from(stderr),
            counters: Arc::clone(counters),
            reported: 0,
        });
    counters.count_lines_dropped_by(lines.error_counter());
    let lines = fmt::layer()
        .with_writer(lines)
        .with_target(false)
        .with_ansi(io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none())
        // The layer's own error reports use `eprintln!`, which may block and panic.
        .log_internal_errors(false);
    let log = registry().with(filter());
    let _ = match format {
        LogFormat::Text => log.with(lines).try_init(),
        LogFormat::Json => log.with(lines.json().flatten_event(true)).try_init(),
    };
    Log(Some(guard))
}

/// Returns the filter that `RUST_LOG` sets. By default, our own crates log from `info` on and the
/// others from `warn` on.
fn filter() -> Targets {
    let set = std::env::var("RUST_LOG").ok();
    set.and_then(|set| set.parse().ok()).unwrap_or_else(|| {
        Targets::new()
            .with_default(LevelFilter::WARN)
            .with_target("countersign", LevelFilter::INFO)
    })
}

/// Writes whole lines, whether or not anything reads them.
struct Lines<W> {
    out: W,
    counters: Arc<Counters>,
    /// The number of lost lines that the log has reported.
    reported: u64,
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut rest = line;
        while !rest.is_empty() {
            match self.out.write(rest) {
                Ok(0) => break,
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(RETRY_PAUSE),
                Err(_) => break,
            }
        }
        if rest.is_empty() {
            self.report();
        } else {
            self.counters.count_server(ServerEvent::LogLineLost, 1);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W> Lines<W> {
    /// Reports lines lost since the last report, once the log is read again.
    fn report(&mut self) {
        let lost = self.counters.log_lines_lost();
        if lost > self.reported {
            let lines = lost - self.reported;
            self.reported = lost;
            tracing::warn!(lines, "log lines were dropped because nobody read them");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer that fails until it has a reader.
    struct Faulty(Option<Vec<u8>>);

    impl Write for Faulty {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = self.0.as_mut().ok_or(ErrorKind::BrokenPipe)?;
            taken.extend_from_slice(&bytes[..1]);
            Ok(1)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_without_a_reader_are_counted_and_reported_once() {
        let counters = Arc::new(Counters::new().unwrap());
        let mut lines = Lines {
            out: Faulty(None),
            counters: Arc::clone(&counters),
            reported: 0,
        };
        for lost in 1..3 {
            lines.write_all(b"a line\n").unwrap();
            assert_eq!((counters.log_lines_lost(), lines.reported), (lost, 0));
        }
        lines.out = Faulty(Some(Vec::new()));
        lines.write_all(b"a line\n").unwrap();
        assert_eq!((counters.log_lines_lost(), lines.reported), (2, 2));
        assert_eq!(lines.out.0.as_deref(), Some(b"a line\n".as_slice()));
    }
}
