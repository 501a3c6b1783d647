//! Recovery of the writer from a failed write.
//!
//! All callers of a batch whose write failed get an error, though the batch may be on disk: only
//! opening the file again shows it. The file is opened again at once, read-only if need be, so that
//! reads continue from the last whole commit. Each second the thread tries whether writes work, first
//! with a file beside the database. Until they do it refuses every operation, also while the file is
//! being opened, which may take long.

use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TryRecvError;

use super::directory::Directory;
use super::fault::Fault;
use super::handle::Handle;
use super::job::Job;
use super::tables::{META, PROBE};

/// The longest wait of a refused caller.
const REFUSAL_POLL: Duration = Duration::from_millis(20);

/// The pause between two attempts to write.
const RETRY: Duration = Duration::from_secs(1);

/// The longest pause between attempts while the database fails and the probe works: opening the
/// database reads the whole file.
const MAX_RETRY: Duration = Duration::from_mins(1);

/// Whether the store can go on.
pub(super) enum Recovery {
    Recovered,
    /// The store was closed meanwhile.
    Closed,
}

/// The result of an attempt to write.
#[derive(Debug)]
enum Attempt {
    Worked,
    /// The probe cannot be written either, which costs little to learn.
    ProbeFailed,
    /// The probe can be written, and the database cannot be opened or written.
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

/// Callers whose writes cannot be made.
struct Callers<'a> {
    fault: &'a Fault,
    received: &'a mut mpsc::Receiver<Box<dyn Job>>,
}

/// Whether callers may still come.
enum Waiting {
    Nobody,
    Closed,
}

impl Callers<'_> {
    /// Refuses all who wait.
    fn refuse_waiting(&mut self) -> Waiting {
        loop {
            match self.received.try_recv() {
                Ok(job) => job.answer(&Err(self.fault.clone())),
                Err(TryRecvError::Empty) => return Waiting::Nobody,
                Err(TryRecvError::Disconnected) => return Waiting::Closed,
            }
        }
    }

    /// Refuses whoever comes while something is done that may take long. `None` if it could not be
    /// begun, or panicked.
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

/// The parts of the store that a failed write leaves to be mended.
pub(super) struct Recoverer<'a> {
    pub(super) handle: &'a Handle,
    pub(super) directory: &'a RwLock<Directory>,
}

impl Recoverer<'_> {
    /// Refuses whatever is asked for until writes work again.
    pub(super) fn recover(
        &self,
        fault: &Fault,
        received: &mut mpsc::Receiver<Box<dyn Job>>,
    ) -> Recovery {
        tracing::error!(
            cause = %fault,
            "the store cannot write; it refuses writes until it can"
        );
        let mut callers = Callers { fault, received };
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

    /// Tries whether writes work, and opens the file first where that failed before.
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

    /// Opens the file again, and reads apps and keys again: the failed batch may be on disk.
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
                tracing::warn!(cause = %cause, "the store cannot be opened again yet");
                false
            }
        }
    }

    /// Commits something that nobody reads.
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
    fn a_database_that_fails_where_the_probe_works_is_tried_less_and_less() {
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
