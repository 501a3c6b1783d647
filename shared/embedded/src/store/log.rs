//! The write-ahead log: it is copied into the file while the writer continues, and emptied so that erased data does not
//! stay in it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::place::Place;
use super::{BUSY_TIMEOUT, schema};

/// Interval at which the log is copied into the file, so that little of this work is left to the
/// writer.
const CHECKPOINT_INTERVAL: Duration = Duration::from_millis(100);

/// Interval of test writes after a failed write, to detect when writes work again.
const PROBE_INTERVAL: Duration = Duration::from_secs(1);

/// Time without a write after which the log is emptied.
const IDLE_TIMEOUT: Duration = Duration::from_secs(1);

/// Time between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Time after which the log is emptied even if there is no pause in writes. The log then grows again
/// from zero, which briefly slows down flushes.
const MAX_AGE: Duration = Duration::from_mins(1);

/// Maximum time that the writer waits for readers before it empties the log. If readers still need
/// the log, the writer retries later.
const READERS_TIMEOUT: Duration = Duration::from_millis(20);

/// State shared by the writer thread and the thread that copies the log.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Number of writes, including those without a change.
    pub(super) operations: AtomicU64,
    /// Number of transactions on disk.
    pub(super) flushes: AtomicU64,
    /// Whether the last write failed.
    pub(super) failed: AtomicBool,
    pub(super) closed: AtomicBool,
    pub(super) log: Log,
}

/// The writer's part in emptying the log.
#[derive(Debug, Default)]
pub(super) struct Log {
    is_due: AtomicBool,
    /// Number of times that the writer has emptied the log.
    emptied: AtomicU64,
}

impl Log {
    /// Requests that the writer empties the log after its next batch.
    pub(super) fn make_due(&self) {
        self.is_due.store(true, Ordering::Relaxed);
    }

    /// Empties the log between two batches, if that is due. While the writer is busy, no other connection can get the
    /// lock.
    pub(super) fn empty_if_due(&self, connection: &Connection) {
        if self.is_due.swap(false, Ordering::Relaxed) {
            let _ = connection.busy_timeout(READERS_TIMEOUT);
            if empty(connection).is_ok_and(|emptied| emptied) {
                self.emptied.fetch_add(1, Ordering::Relaxed);
            }
            let _ = connection.busy_timeout(BUSY_TIMEOUT);
        }
    }
}

/// Copies the log into the file while there is one, and has it emptied, until the store is closed.
pub(super) fn keep(file: &Path, state: &State, place: &Place) {
    let Ok(connection) = schema::open(file) else {
        tracing::error!("cannot open the store to copy its log; the writer does when it is long");
        return;
    };
    let (mut copied, mut probed) = (0, Instant::now());
    let (mut age, mut emptied) = (Age::default(), 0);
    while !state.closed.load(Ordering::Relaxed) {
        std::thread::park_timeout(CHECKPOINT_INTERVAL);
        let may_probe = probed.elapsed() > PROBE_INTERVAL && place.refusal().is_none();
        if state.failed.load(Ordering::Relaxed) && may_probe {
            probed = Instant::now();
            // Without other writes, only this shows whether writes work again.
            let failed = probe(&connection).is_err();
            state.failed.store(failed, Ordering::Relaxed);
        }
        if !place.may_checkpoint() {
            continue;
        }
        let flushes = state.flushes.load(Ordering::Relaxed);
        if flushes != copied {
            copied = flushes;
            age.written(Instant::now());
            // A failed copy is repeated later. Only one thread can copy at a time, and the writer
            // is about to.
            if !state.log.is_due.load(Ordering::Relaxed) {
                let _ = checkpoint(&connection, "PASSIVE");
            }
        }
        let by_writer = state.log.emptied.load(Ordering::Relaxed);
        if by_writer != emptied {
            (age, emptied) = (Age::default(), by_writer);
        }
        let due = age.due(Instant::now());
        if due == Due::ByWriter {
            state.log.make_due();
        }
        if due == Due::Now && empty(&connection).is_ok_and(|emptied| emptied) {
            age = Age::default();
        }
    }
}

/// The thread that must empty the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Not,
    /// The writer, because there is no pause in writes.
    ByWriter,
    /// The thread that copies the log, because there are no writes.
    Now,
}

/// The age of the log's contents.
#[derive(Debug, Default)]
struct Age {
    /// First and last write since the log was emptied.
    writes: Option<(Instant, Instant)>,
    tried: Option<Instant>,
}

impl Age {
    fn written(&mut self, now: Instant) {
        let (first, _) = self.writes.unwrap_or((now, now));
        self.writes = Some((first, now));
    }

    fn due(&mut self, now: Instant) -> Due {
        let Some((first, last)) = self.writes else {
            return Due::Not;
        };
        let since = |then| now.saturating_duration_since(then);
        if self
            .tried
            .is_some_and(|tried| since(tried) < RETRY_INTERVAL)
        {
            return Due::Not;
        }
        let due = if since(last) >= IDLE_TIMEOUT {
            Due::Now
        } else if since(first) >= MAX_AGE {
            Due::ByWriter
        } else {
            return Due::Not;
        };
        self.tried = Some(now);
        due
    }
}

/// Copies the whole log into the file, and empties it. Returns whether this succeeded: it does not while a
/// reader, such as a backup, needs the log.
pub(super) fn empty(connection: &Connection) -> Result<bool, rusqlite::Error> {
    checkpoint(connection, "TRUNCATE")
}

fn checkpoint(connection: &Connection, mode: &str) -> Result<bool, rusqlite::Error> {
    let checkpoint = format!("PRAGMA wal_checkpoint({mode})");
    let busy: i64 = connection.query_row(&checkpoint, [], |row| row.get(0))?;
    Ok(busy == 0)
}

/// Writes about as much as a small batch.
fn probe(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection
        .execute_batch(
            "BEGIN IMMEDIATE; CREATE TABLE probe (content BLOB); \
         INSERT INTO probe VALUES (zeroblob(262144)); DROP TABLE probe; COMMIT;",
        )
        .inspect_err(|_| {
            // A transaction that failed halfway stays open.
            let _ = connection.execute_batch("ROLLBACK");
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_is_emptied_once_writes_pause_or_after_a_minute() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut age = Age::default();
        assert_eq!(age.due(after(0)), Due::Not, "nothing was written");
        age.written(after(0));
        assert_eq!(age.due(after(0)), Due::Not);
        assert_eq!(age.due(after(1)), Due::Now);
        assert_eq!(age.due(after(5)), Due::Not, "just tried");
        assert_eq!(age.due(after(6)), Due::Now, "a reader kept it");

        let mut age = Age::default();
        for second in 0..60 {
            age.written(after(second));
            assert_eq!(age.due(after(second)), Due::Not, "{second}");
        }
        age.written(after(60));
        assert_eq!(age.due(after(60)), Due::ByWriter);
        age.written(after(61));
        assert_eq!(age.due(after(61)), Due::Not, "just tried");
        age.written(after(65));
        assert_eq!(age.due(after(65)), Due::ByWriter, "a reader kept it");
    }
}
