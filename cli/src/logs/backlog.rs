//! Log lines that wait to be written.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

use crate::metrics::{Counters, ServerEvent};

/// Maximum size of waiting lines, in bytes. Further lines are dropped.
const MAX_WAITING: usize = 256 << 10;

/// Lines that wait to be written.
pub(super) struct Backlog {
    state: Mutex<State>,
    /// Signals the first new line, and each written batch.
    changed: Condvar,
    counters: Arc<Counters>,
}

#[derive(Debug)]
struct State {
    waiting: Vec<u8>,
    /// Lines dropped since the log last reported a loss.
    unreported: u64,
    /// Whether the last batch could be written.
    reader: Reader,
    /// Whether the writer holds a batch that it has not reported as written.
    writing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Present,
    Gone,
}

impl Backlog {
    pub(super) fn new(counters: Arc<Counters>) -> Self {
        Self {
            state: Mutex::new(State {
                waiting: Vec::new(),
                unreported: 0,
                reader: Reader::Present,
                writing: false,
            }),
            changed: Condvar::new(),
            counters,
        }
    }

    /// Queues a line, or counts it as dropped if there is no room. Never waits.
    fn push(&self, line: &[u8]) {
        let mut state = self.locked();
        if state.waiting.len() + line.len() > MAX_WAITING {
            state.unreported += 1;
            drop(state);
            self.counters.count_server(ServerEvent::LogLineLost, 1);
        } else {
            let is_first = state.waiting.is_empty();
            state.waiting.extend_from_slice(line);
            drop(state);
            // Only the first line needs a signal: the writer takes all of them.
            if is_first {
                self.changed.notify_all();
            }
        }
    }

    /// Waits for lines and moves them into `batch`, which is empty. Returns how many earlier lines
    /// were dropped, if somebody reads the log again and the loss should be reported.
    pub(super) fn take(&self, batch: &mut Vec<u8>) -> u64 {
        let state = self.changed.wait_while(self.locked(), |state| {
            state.waiting.is_empty() && state.to_report() == 0
        });
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut state.waiting, batch);
        state.writing = true;
        let lost = state.to_report();
        state.unreported -= lost;
        lost
    }

    /// Records that the batch was written except for `lost` lines.
    pub(super) fn written_but(&self, lost: u64) {
        let mut state = self.locked();
        state.writing = false;
        state.unreported += lost;
        state.reader = if lost == 0 {
            Reader::Present
        } else {
            Reader::Gone
        };
        drop(state);
        if lost > 0 {
            self.counters.count_server(ServerEvent::LogLineLost, lost);
        }
        self.changed.notify_all();
    }

    /// Waits until every line is written or dropped, at most `timeout`.
    pub(super) fn wait_until_written(&self, timeout: Duration) {
        let pending = |state: &mut State| state.writing || !state.waiting.is_empty();
        // Lines that are late at the end of the process are dropped.
        let _ = self
            .changed
            .wait_timeout_while(self.locked(), timeout, pending);
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        // Code that holds the lock cannot panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns the number of dropped lines to report now.
    fn to_report(&self) -> u64 {
        match self.reader {
            Reader::Present => self.unreported,
            Reader::Gone => 0,
        }
    }
}

/// The subscriber's writer: each call is one whole line.
#[derive(Clone)]
pub(super) struct Lines(Arc<Backlog>);

impl Lines {
    pub(super) fn to(backlog: &Arc<Backlog>) -> Self {
        Self(Arc::clone(backlog))
    }
}

impl io::Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.push(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(counters: &Counters) -> u64 {
        let counts = counters.snapshot().events;
        let lost = counts.iter().find(|count| count.name == "log_line_lost");
        lost.unwrap().count
    }

    fn backlog() -> (Backlog, Arc<Counters>) {
        let counters = Arc::new(Counters::default());
        (Backlog::new(Arc::clone(&counters)), counters)
    }

    #[test]
    fn lines_beyond_the_limit_are_dropped_and_counted() {
        let (backlog, counters) = backlog();
        let line = vec![b'x'; MAX_WAITING / 2];
        for _ in 0..5 {
            backlog.push(&line);
        }
        assert_eq!(lost(&counters), 3);
        let mut batch = Vec::new();
        assert_eq!(backlog.take(&mut batch), 3, "somebody reads");
        assert_eq!(batch.len(), MAX_WAITING);
        backlog.written_but(0);
        backlog.push(b"next\n");
        batch.clear();
        assert_eq!(backlog.take(&mut batch), 0, "a loss is reported once");
        assert_eq!(batch, b"next\n");
    }

    #[test]
    fn loss_is_reported_once_somebody_reads_again() {
        let (backlog, counters) = backlog();
        let mut batch = Vec::new();
        for _ in 0..2 {
            backlog.push(b"a line\n");
            batch.clear();
            assert_eq!(backlog.take(&mut batch), 0);
            backlog.written_but(1);
        }
        assert_eq!(lost(&counters), 2);
        backlog.push(b"a line\n");
        batch.clear();
        assert_eq!(backlog.take(&mut batch), 0, "nobody was seen reading yet");
        backlog.written_but(0);
        batch.clear();
        assert_eq!(backlog.take(&mut batch), 2, "without waiting for a line");
        assert_eq!(batch, b"");
    }

    #[test]
    fn shutdown_waits_for_lines_at_most_the_timeout() {
        let (backlog, _) = backlog();
        backlog.wait_until_written(Duration::MAX);
        backlog.push(b"a line\n");
        backlog.wait_until_written(Duration::ZERO);
        let mut batch = Vec::new();
        backlog.take(&mut batch);
        backlog.wait_until_written(Duration::ZERO);
        backlog.written_but(0);
        backlog.wait_until_written(Duration::MAX);
    }
}
