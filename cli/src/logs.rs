//! Log lines on standard error, written by a dedicated thread.
//!
//! Logging never blocks and never fails. Lines go into a bounded backlog that the thread empties.
//! If nobody reads standard error, the backlog fills up and further lines are dropped and counted;
//! a line reports the loss once somebody reads again.

mod backlog;
mod writer;

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{fmt, registry};

use crate::metrics::Counters;
use backlog::{Backlog, Lines};
use writer::Writer;

/// Time limit for writing the remaining lines when the process ends.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Text for people.
    Text,
    /// One JSON object per line, for machines.
    Json,
}

/// The running log. Dropping it waits briefly for lines that are not written yet.
#[must_use]
pub(crate) struct Log(Arc<Backlog>);

impl Drop for Log {
    fn drop(&mut self) {
        self.0.wait_until_written(FLUSH_TIMEOUT);
    }
}

/// Starts logging, and counts dropped lines. A second call changes nothing.
pub(crate) fn begin(format: LogFormat, counters: Arc<Counters>) -> Log {
    let backlog = Arc::new(Backlog::new(counters));
    let lines = fmt::layer()
        .with_writer(Lines::to(&backlog))
        .with_target(false)
        .with_ansi(io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none())
        // Its own error reports use `eprintln!`, which blocks and panics as stderr does.
        .log_internal_errors(false);
    let log = registry().with(filter());
    let begun = match format {
        LogFormat::Text => log.with(lines).try_init(),
        LogFormat::Json => log.with(lines.json().flatten_event(true)).try_init(),
    };
    if begun.is_ok() {
        write_in_background(&backlog);
    }
    Log(backlog)
}

/// Returns the filter that `RUST_LOG` sets. Without one, our own crates log from `info` on and the
/// others from `warn` on.
fn filter() -> Targets {
    let set = std::env::var("RUST_LOG").ok();
    set.and_then(|set| set.parse().ok()).unwrap_or_else(|| {
        Targets::new()
            .with_default(LevelFilter::WARN)
            .with_target("countersign", LevelFilter::INFO)
    })
}

/// Starts the writer thread, which ends with the process.
fn write_in_background(backlog: &Arc<Backlog>) {
    // Writes through a descriptor of its own: blocking while holding the lock of `io::stderr` would
    // block every other user of it.
    let Ok(stderr) = io::stderr().as_fd().try_clone_to_owned() else {
        return;
    };
    let backlog = Arc::clone(backlog);
    let mut writer = Writer::new(File::from(stderr));
    // If no thread can be started, every line is dropped and counted; the server still works.
    let _ = thread::Builder::new()
        .name("countersign-log".to_owned())
        .spawn(move || {
            loop {
                writer.write_next(&backlog);
            }
        });
}
