//! Recovery of the writer from a failed write.
//!
//! If a batch's write fails, all its callers get an error, although the batch may be on disk: only
//! reopening the file can tell. The file is reopened at once, read-only if necessary, so that reads
//! continue from the last whole commit. Every second the thread tests whether writes work, first with a
//! probe file beside the database. Until they do, it refuses all operations, even while it reopens the
//! file, which may take long.

use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TryRecvError;

use super::deferred::Deferred;
use super::directory::Directory;
use super::fault::Fault;
use super::handle::Handle;
use super::job::Job;
use super::tables::{META, PROBE};

/// Interval at which waiting callers are refused.
const REFUSAL_POLL: Duration = Duration::from_millis(20);

/// Pause between two attempts to write.
const RETRY: Duration = Duration::from_secs(1);

/// Longest pause between attempts while the database fails although the probe works. Such attempts are
/// expensive, because opening the database reads the whole file.
const MAX_RETRY: Duration = Duration::from_mins(1);

/// The result of a recovery.
pub(super) enum Recovery {
    /// Writes work again.
    Recovered,
    /// The store was closed before writes worked again.
    Closed,
}

/// The result of an attempt to write.
#[derive(Debug)]
enum Attempt {
    Worked,
    /// The probe file cannot be written, so the database was not tried.
    ProbeFailed,
    /// The probe file can be written, but the database cannot be opened or written.
    DatabaseFailed,
}

/// The time of the next attempt.
struct Pace {
    wait: Duration,
    next: Instant,
}

impl Pace {
    fn new(now: Instant) -> Self {
        Self {
            wait: RETRY,
            next: now + RETRY,
        }
    }

    fn wait_after(&mut self, attempt: &Attempt, now: Instant) {
        if let Attempt::DatabaseFailed = attempt {
            self.wait = (self.wait * 2).min(MAX_RETRY);
        }
        self.next = now + self.wait;
    }
}

/// The callers whose writes are refused during the recovery.
struct Callers<'a> {
    fault: &'a Fault,
    received: &'a mut mpsc::Receiver<Box<dyn Job>>,
    deferred: &'a Deferred,
}

/// Whether the store is still open to callers.
enum Waiting {
    Nobody,
    Closed,
}

impl Callers<'_> {
    /// Refuses all waiting callers.
    fn refuse_waiting(&mut self) -> Waiting {
        while let Some(job) = self.deferred.take_one() {
            job.answer(&Err(self.fault.clone()));
        }
        loop {
            match self.received.try_recv() {
                Ok(job) => job.answer(&Err(self.fault.clone())),
                Err(TryRecvError::Empty) => return Waiting::Nobody,
                Err(TryRecvError::Disconnected) => return Waiting::Closed,
            }
        }
    }

    /// Does lengthy work on another thread and refuses callers meanwhile. Returns `None` if the thread
    /// could not be started or panicked.
    fn refused_while<T: Send>(&mut self, work: impl FnOnce() -> T + Send) -> Option<T> {
        std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().name("countersign-recovery".to_owned());
            let working = builder.spawn_scoped(scope, work).ok()?;
            while !working.is_finished() {
                self.refuse_waiting();
                std::thread::sleep(REFUSAL_POLL);
            }
            working.join().ok()
        })
    }
}

/// The parts of the store that have to be renewed after a failed write.
pub(super) struct Recoverer<'a> {
    pub(super) handle: &'a Handle,
    pub(super) directory: &'a RwLock<Directory>,
}

impl Recoverer<'_> {
    /// Refuses all operations until writes work again.
    pub(super) fn recover(
        &self,
        fault: &Fault,
        received: &mut mpsc::Receiver<Box<dyn Job>>,
        deferred: &Deferred,
    ) -> Recovery {
        tracing::error!(
            cause = %fault,
            "the store cannot write and refuses writes until it can"
        );
        let mut callers = Callers {
            fault,
            received,
            deferred,
        };
        let mut opened = callers.refused_while(|| self.open_again()).unwrap_or(false);
        let mut pace = Pace::new(Instant::now());
        loop {
            if let Waiting::Closed = callers.refuse_waiting() {
                return Recovery::Closed;
            }
            if Instant::now() < pace.next {
                std::thread::sleep(REFUSAL_POLL);
                continue;
            }
            let attempt = callers.refused_while(|| self.attempt(&mut opened));
            let attempt = attempt.unwrap_or(Attempt::DatabaseFailed);
            if let Attempt::Worked = attempt {
                tracing::info!("the store can write again");
                return Recovery::Recovered;
            }
            pace.wait_after(&attempt, Instant::now());
        }
    }

    /// Tests whether writes work. Reopens the file first if that failed before.
    fn attempt(&self, opened: &mut bool) -> Attempt {
        if self.handle.probe().is_err() {
            return Attempt::ProbeFailed;
        }
        *opened = *opened || self.open_again();
        if !*opened {
            return Attempt::DatabaseFailed;
        }
        match self.write_probe() {
            Ok(()) => Attempt::Worked,
            Err(again) => {
                tracing::warn!(cause = %again, "the store still cannot write");
                *opened = false;
                *opened = self.open_again();
                Attempt::DatabaseFailed
            }
        }
    }

    /// Reopens the file and reloads the directory, since the failed batch may be on disk.
    fn open_again(&self) -> bool {
        let opened = self.handle.reopen();
        let loaded = opened.and_then(|database| Ok(Directory::load(&database)?));
        match loaded {
            Ok(directory) => {
                *self
                    .directory
                    .write()
                    .unwrap_or_else(PoisonError::into_inner) = directory;
                true
            }
            Err(cause) => {
                tracing::warn!(cause = %cause, "the store cannot be reopened yet");
                false
            }
        }
    }

    /// Commits a value that nothing reads.
    fn write_probe(&self) -> Result<(), Fault> {
        let database = self.handle.get()?;
        let transaction = database.begin_write()?;
        let probe = [].as_slice();
        transaction.open_table(META)?.insert(PROBE, probe)?;
        Ok(transaction.commit()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pause_doubles_while_the_database_fails_and_the_probe_works() {
        let now = Instant::now();
        let mut pace = Pace::new(now);
        let mut wait_after = |attempt| {
            pace.wait_after(&attempt, now);
            (pace.next - now).as_secs()
        };
        assert_eq!(wait_after(Attempt::ProbeFailed), 1);
        let waits: Vec<_> = (0..7)
            .map(|_| wait_after(Attempt::DatabaseFailed))
            .collect();
        assert_eq!(waits, [2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(wait_after(Attempt::ProbeFailed), 60);
    }
}
