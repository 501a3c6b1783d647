//! The thread that makes all writes, and its queue.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use countersign_system::private_files::PrivateDirectory;
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use super::counts::{self, Counter, WriteBatch};
use super::log::{self, State};
use super::place::Place;
use super::soundness::Soundness;
use super::{Fault, STORE_FILE};

/// Maximum number of writes that share a flush.
const MAX_BATCH: usize = 512;

/// Maximum number of writes in the queue. Additional callers wait for room.
const QUEUE: usize = 1024;

/// Counters of the writer since the store was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteCounts {
    /// Number of writes, including those without a change.
    pub operations: u64,
    /// Number of transactions, each of which was flushed to disk.
    pub flushes: u64,
}

/// A queued write and its caller.
trait Job: Send {
    /// Makes the write. It may be called again: an error rolls back the whole batch.
    fn run(&mut self, batch: &WriteBatch<'_>) -> Result<(), Fault>;

    /// Abandons the write because of this error.
    fn fail(&mut self, fault: Fault);

    /// Returns whether the write was abandoned.
    fn has_failed(&self) -> bool;

    /// Answers the caller once the result of the batch is known.
    fn answer(self: Box<Self>, batch: &Result<(), Fault>);
}

struct Write<T, F> {
    make: F,
    outcome: Option<Result<T, Fault>>,
    has_failed: bool,
    answer: oneshot::Sender<Result<T, Fault>>,
}

impl<T, F> Job for Write<T, F>
where
    T: Send,
    F: FnMut(&WriteBatch<'_>) -> Result<T, Fault> + Send,
{
    fn run(&mut self, batch: &WriteBatch<'_>) -> Result<(), Fault> {
        self.outcome = Some(Ok((self.make)(batch)?));
        Ok(())
    }

    fn fail(&mut self, fault: Fault) {
        self.outcome = Some(Err(fault));
        self.has_failed = true;
    }

    fn has_failed(&self) -> bool {
        self.has_failed
    }

    fn answer(self: Box<Self>, batch: &Result<(), Fault>) {
        let outcome = match (self.outcome, batch) {
            (Some(outcome), Ok(())) => outcome,
            (Some(outcome), Err(_)) if self.has_failed => outcome,
            (None, Ok(())) => Err(Fault::Closed),
            (_, Err(fault)) => Err(fault.clone()),
        };
        // Fails if the caller is no longer waiting, which is harmless.
        let _ = self.answer.send(outcome);
    }
}

/// Returns a write for the queue, and the receiver of its outcome.
fn job<T: Send + 'static>(
    write: impl FnMut(&WriteBatch<'_>) -> Result<T, Fault> + Send + 'static,
) -> (Box<dyn Job>, oneshot::Receiver<Result<T, Fault>>) {
    let (answer, answered) = oneshot::channel();
    let job = Write {
        make: write,
        outcome: None,
        has_failed: false,
        answer,
    };
    (Box::new(job), answered)
}

/// Handle to the writer's thread.
#[derive(Debug)]
pub(super) struct Writer {
    /// Queue to the thread; `None` once stopped. The thread ends after everything queued by then is
    /// done.
    jobs: Mutex<Option<mpsc::Sender<Box<dyn Job>>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    state: Arc<State>,
}

impl Writer {
    pub(super) fn start(
        connection: Connection,
        directory: &PrivateDirectory,
        place: &Arc<Place>,
        soundness: &Arc<Soundness>,
    ) -> io::Result<Self> {
        let (jobs, received) = mpsc::channel(QUEUE);
        let state = Arc::new(State::default());
        let thread = Thread {
            connection,
            place: Arc::clone(place),
            state: Arc::clone(&state),
            counter: Counter::default(),
            soundness: Arc::clone(soundness),
        };
        let named = |name: &str| std::thread::Builder::new().name(name.to_owned());
        let writing = named("countersign-store").spawn(move || thread.run(received))?;
        let (file, checkpointing) = (directory.path().join(STORE_FILE), Arc::clone(&state));
        let place = Arc::clone(place);
        let copying =
            named("countersign-log").spawn(move || log::keep(&file, &checkpointing, &place))?;
        Ok(Self {
            jobs: Mutex::new(Some(jobs)),
            threads: Mutex::new(vec![writing, copying]),
            state,
        })
    }

    /// Makes a write as part of a batch, and returns once the batch is on disk.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        write: impl FnMut(&WriteBatch<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let (job, answered) = job(write);
        let sent = self.jobs().ok_or(Fault::Closed)?.send(job).await;
        sent.map_err(|_| Fault::Closed)?;
        answered.await.unwrap_or(Err(Fault::Closed))
    }

    /// Makes a write like [`write`](Self::write), for a thread that may block.
    pub(super) fn write_blocking<T: Send + 'static>(
        &self,
        write: impl FnMut(&WriteBatch<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let (job, answered) = job(write);
        let sent = self.jobs().ok_or(Fault::Closed)?.blocking_send(job);
        sent.map_err(|_| Fault::Closed)?;
        answered.blocking_recv().unwrap_or(Err(Fault::Closed))
    }

    fn jobs(&self) -> Option<mpsc::Sender<Box<dyn Job>>> {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.clone()
    }

    /// Returns whether the last write failed.
    pub(super) fn has_failed(&self) -> bool {
        self.state.failed.load(Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(super) fn log(&self) -> &log::Log {
        &self.state.log
    }

    pub(super) fn counts(&self) -> WriteCounts {
        WriteCounts {
            operations: self.state.operations.load(Ordering::Relaxed),
            flushes: self.state.flushes.load(Ordering::Relaxed),
        }
    }

    /// Closes the queue, and waits until everything in it is done.
    pub(super) fn stop(&self) {
        drop(
            self.jobs
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        self.state.closed.store(true, Ordering::Relaxed);
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            thread.thread().unpark();
            // If the thread panicked, its callers have already received an error.
            let _ = thread.join();
        }
    }
}

struct Thread {
    connection: Connection,
    place: Arc<Place>,
    state: Arc<State>,
    counter: Counter,
    soundness: Arc<Soundness>,
}

impl Thread {
    fn run(mut self, mut received: mpsc::Receiver<Box<dyn Job>>) {
        let mut jobs = Vec::with_capacity(MAX_BATCH);
        while received.blocking_recv_many(&mut jobs, MAX_BATCH) > 0 {
            let writing = AssertUnwindSafe(|| self.write_in_place(&mut jobs));
            let written = catch_unwind(writing).unwrap_or(Err(Fault::Closed));
            if let Err(fault) = &written {
                tracing::error!(cause = %fault, "cannot write to the store");
            }
            let failed = matches!(&written, Err(fault) if !matches!(fault, Fault::Refused(_)));
            self.state.failed.store(failed, Ordering::Relaxed);
            for job in jobs.drain(..) {
                job.answer(&written);
            }
            if self.place.may_checkpoint() {
                self.state.log.empty_if_due(&self.connection);
            }
        }
        // The next startup then has nothing to recover.
        if self.place.may_checkpoint() {
            let _ = log::empty(&self.connection);
        }
    }

    /// Makes the writes, unless they are refused. Checks the files again between the commit and the answer, so that
    /// no write is acknowledged that went into a file which had been removed by then.
    fn write_in_place(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<(), Fault> {
        if let Some(refusal) = self.place.refusal() {
            return Err(Fault::Refused(refusal.cause.into()));
        }
        self.place.check_or_refuse()?;
        self.write(jobs)?;
        self.place.check_or_refuse()
    }

    fn write(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<(), Fault> {
        let operations = u64::try_from(jobs.len()).unwrap_or(u64::MAX);
        self.state
            .operations
            .fetch_add(operations, Ordering::Relaxed);
        // The batch is repeated without what encountered damage.
        loop {
            match self.write_once(jobs) {
                Ok(true) => break,
                Ok(false) => self.counter.forget_batch(),
                Err(fault) => {
                    self.counter.forget_batch();
                    return Err(fault);
                }
            }
        }
        self.state.flushes.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Makes the writes that have not failed in one transaction, which also counts them. Returns whether this succeeded:
    /// if a write or a count encounters damage, none is made. Savepoints could undo that write alone, but SQLite would copy every changed
    /// page for each of them.
    fn write_once(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<bool, Fault> {
        let behavior = TransactionBehavior::Immediate;
        let batch = WriteBatch::new(self.connection.transaction_with_behavior(behavior)?);
        let mut are_made = true;
        for job in jobs.iter_mut().filter(|job| !job.has_failed()) {
            match job.run(&batch) {
                Ok(()) => {}
                Err(fault) if fault.is_general() => return Err(fault),
                Err(fault) => {
                    are_made = false;
                    let is_over = fault.ends_transaction();
                    job.fail(fault);
                    if is_over {
                        break;
                    }
                }
            }
        }
        if !are_made {
            batch.rollback()?;
            return Ok(false);
        }
        match self.counter.write(&batch) {
            Ok(()) => batch.commit().map(|()| true),
            Err(fault) if fault.is_damage() => {
                batch.rollback()?;
                self.soundness.note(&fault, Some(counts::NAME));
                self.counter.stop();
                Ok(false)
            }
            Err(fault) => Err(fault),
        }
    }
}
