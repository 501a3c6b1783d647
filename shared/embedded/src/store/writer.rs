//! The thread that makes all writes, and the queue in front of it.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::JoinHandle;

use countersign_domain::primitives::unavailable::Unavailable;
use tokio::sync::mpsc::OwnedPermit;
use tokio::sync::{mpsc, oneshot};

use super::batch::{Batch, Effects};
use super::claims::Claims;
use super::counting::Counting;
use super::deferred::{Deferred, ENOUGH, MAX_DEFERRAL};
use super::directory::Directory;
use super::fault::Fault;
use super::handle::Handle;
use super::job::Job;
use super::recovery::{Recoverer, Recovery};
use super::usage::Usage;

/// Maximum number of operations that share a flush. Their changes stay in memory until then.
const MAX_BATCH: usize = 512;

/// Maximum number of operations in the queue. Further callers wait for room.
const QUEUE: usize = 1024;

/// Name of the writer's thread.
pub(super) const THREAD_NAME: &str = "countersign-store";

/// Counters of the writer since the store was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteCounts {
    /// Operations that ran on the writer's thread, including those that changed nothing.
    pub operations: u64,
    /// Batches in which they ran.
    pub batches: u64,
    /// Batches that changed something and were flushed to disk.
    pub flushes: u64,
}

#[derive(Debug, Default)]
struct Counts {
    operations: AtomicU64,
    batches: AtomicU64,
    flushes: AtomicU64,
}

/// Handle to the writer's thread.
#[derive(Debug)]
pub(super) struct Writer {
    /// Queue to the thread; `None` once stopped. The thread ends after the operations queued by then.
    jobs: Mutex<Option<mpsc::Sender<Box<dyn Job>>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    deferred: Arc<Deferred>,
    counting: Arc<Counting>,
    failed: Arc<AtomicBool>,
    counts: Arc<Counts>,
}

type Answered<T> = oneshot::Receiver<Result<T, Fault>>;

impl Writer {
    pub(super) fn start(
        handle: Arc<Handle>,
        claims: Arc<Claims>,
        directory: Arc<RwLock<Directory>>,
    ) -> io::Result<Self> {
        let (jobs, received) = mpsc::channel(QUEUE);
        let failed = Arc::new(AtomicBool::new(false));
        let counts = Arc::new(Counts::default());
        let deferred = Arc::new(Deferred::default());
        let usage = Usage::default();
        let counting = Arc::new(Counting::new(Arc::clone(&handle), usage.clone()));
        let thread = Thread {
            handle,
            claims,
            directory,
            usage,
            deferred: Arc::clone(&deferred),
            counting: Arc::clone(&counting),
            failed: Arc::clone(&failed),
            counts: Arc::clone(&counts),
        };
        let thread = std::thread::Builder::new()
            .name(THREAD_NAME.to_owned())
            .spawn(move || thread.run(received))?;
        Ok(Self {
            jobs: Mutex::new(Some(jobs)),
            thread: Mutex::new(Some(thread)),
            deferred,
            counting,
            failed,
            counts,
        })
    }

    /// Returns the thread that counts open items.
    pub(super) fn counting(&self) -> &Counting {
        &self.counting
    }

    /// Runs an operation in a batch and returns once the batch is on disk.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        what: &'static str,
        operation: impl FnOnce(&mut Batch<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Unavailable> {
        let (job, answered) = Operation::queued(operation);
        self.send(job)
            .await
            .map_err(|fault| Unavailable::new(what, fault))?;
        outcome(what, answered).await
    }

    /// Runs an operation that nobody waits for in the next batch, or in one of its own if there is none
    /// soon ([`deferred`](super::deferred)). Returns once the batch is on disk.
    pub(super) async fn write_deferred<T: Send + 'static>(
        &self,
        what: &'static str,
        operation: impl FnOnce(&mut Batch<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Unavailable> {
        let (waiting, mut answered) = self.defer(operation);
        if waiting < ENOUGH {
            tokio::select! {
                biased;
                ended = &mut answered => return unpack(what, ended),
                () = tokio::time::sleep(MAX_DEFERRAL) => {}
            }
        }
        // The room comes first: a job that is taken while its caller waits for room is lost with this caller.
        let room = tokio::select! {
            biased;
            ended = &mut answered => return unpack(what, ended),
            room = self.room() => room,
        };
        if let Some(job) = self.deferred.take_one() {
            let room = room.map_err(|fault| Unavailable::new(what, fault))?;
            room.send(job);
        }
        // Without one to take, a batch has joined it, and answers even if the store is being closed.
        outcome(what, answered).await
    }

    /// Adds an operation to the next batch, and returns how many wait for one.
    pub(super) fn defer<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&mut Batch<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> (usize, Answered<T>) {
        let (job, answered) = Operation::queued(operation);
        (self.deferred.put(job), answered)
    }

    /// Queues an operation. Waits if the queue is full.
    async fn send(&self, job: Box<dyn Job>) -> Result<(), Fault> {
        self.room().await?.send(job);
        Ok(())
    }

    /// Returns room for one operation in the queue. Waits if the queue is full.
    async fn room(&self) -> Result<OwnedPermit<Box<dyn Job>>, Fault> {
        let jobs = self
            .jobs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let room = jobs.ok_or(Fault::Closed)?.reserve_owned().await;
        room.map_err(|_| Fault::Closed)
    }

    /// Returns whether a write failed and none has succeeded since.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    pub(super) fn counts(&self) -> WriteCounts {
        WriteCounts {
            operations: self.counts.operations.load(Ordering::Relaxed),
            batches: self.counts.batches.load(Ordering::Relaxed),
            flushes: self.counts.flushes.load(Ordering::Relaxed),
        }
    }

    /// Returns the number of operations in the queue.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.as_ref().map_or(0, |jobs| QUEUE - jobs.capacity())
    }

    /// Closes the queue, waits until all queued operations are done, and stops counting.
    pub(super) fn stop(&self) {
        let lock = |error: PoisonError<_>| error.into_inner();
        drop(
            self.jobs
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        let thread = self.thread.lock().unwrap_or_else(lock).take();
        // If the thread panicked, its callers have got an error already.
        let _ = thread.map(JoinHandle::join);
        self.counting.stop();
    }
}

async fn outcome<T>(what: &'static str, answered: Answered<T>) -> Result<T, Unavailable> {
    unpack(what, answered.await)
}

fn unpack<T>(
    what: &'static str,
    answered: Result<Result<T, Fault>, oneshot::error::RecvError>,
) -> Result<T, Unavailable> {
    // The answer is missing if the thread ended without it.
    let outcome = answered.unwrap_or(Err(Fault::Closed));
    outcome.map_err(|fault| Unavailable::new(what, fault))
}

struct Operation<T, F> {
    run: Option<F>,
    outcome: Option<Result<T, Fault>>,
    answer: oneshot::Sender<Result<T, Fault>>,
}

impl<T, F> Operation<T, F>
where
    T: Send + 'static,
    F: FnOnce(&mut Batch<'_>) -> Result<T, Fault> + Send + 'static,
{
    /// Returns an operation to queue, and the channel of its answer.
    fn queued(operation: F) -> (Box<dyn Job>, Answered<T>) {
        let (answer, answered) = oneshot::channel();
        let job = Box::new(Self {
            run: Some(operation),
            outcome: None,
            answer,
        });
        (job, answered)
    }
}

impl<T, F> Job for Operation<T, F>
where
    T: Send,
    F: FnOnce(&mut Batch<'_>) -> Result<T, Fault> + Send,
{
    fn run(&mut self, batch: &mut Batch<'_>) -> Result<(), Fault> {
        let Some(operation) = self.run.take() else {
            return Ok(());
        };
        let outcome = operation(batch);
        if let Err(fault) = &outcome
            && fault.concerns_all()
        {
            return Err(fault.clone());
        }
        self.outcome = Some(outcome);
        Ok(())
    }

    fn answer(self: Box<Self>, batch: &Result<(), Fault>) {
        let outcome = match batch {
            Err(fault) => Err(fault.clone()),
            Ok(()) => self.outcome.unwrap_or(Err(Fault::Closed)),
        };
        // The send fails if the caller no longer waits, which does no harm.
        let _ = self.answer.send(outcome);
    }
}

struct Thread {
    handle: Arc<Handle>,
    claims: Arc<Claims>,
    directory: Arc<RwLock<Directory>>,
    usage: Usage,
    deferred: Arc<Deferred>,
    counting: Arc<Counting>,
    failed: Arc<AtomicBool>,
    counts: Arc<Counts>,
}

impl Thread {
    fn run(self, mut received: mpsc::Receiver<Box<dyn Job>>) {
        let mut jobs = Vec::with_capacity(MAX_BATCH);
        loop {
            let count = received.blocking_recv_many(&mut jobs, MAX_BATCH);
            self.deferred.join(&mut jobs);
            if count == 0 && jobs.is_empty() {
                // The store is closed, and nothing is left to write.
                return;
            }
            let writing = AssertUnwindSafe(|| self.write(&mut jobs));
            let written = catch_unwind(writing).unwrap_or(Err(Fault::Panicked));
            if written.is_err() {
                self.usage.forget_open();
            }
            self.failed.store(written.is_err(), Ordering::Relaxed);
            for job in jobs.drain(..) {
                job.answer(&written);
            }
            if let Err(fault) = &written {
                let recoverer = Recoverer {
                    handle: &self.handle,
                    directory: &self.directory,
                };
                match recoverer.recover(fault, &mut received, &self.deferred) {
                    Recovery::Recovered => self.failed.store(false, Ordering::Relaxed),
                    Recovery::Closed => return,
                }
            }
            self.counting.begin_if_needed();
        }
    }

    fn write(&self, jobs: &mut [Box<dyn Job>]) -> Result<(), Fault> {
        let operations = u64::try_from(jobs.len()).unwrap_or(u64::MAX);
        self.counts
            .operations
            .fetch_add(operations, Ordering::Relaxed);
        self.counts.batches.fetch_add(1, Ordering::Relaxed);
        let database = self.handle.get()?;
        let transaction = database.begin_write()?;
        let mut effects = Effects::new(Arc::clone(&self.claims), self.usage.clone());
        let mut batch = Batch::new(&transaction, &mut effects)?;
        for job in jobs {
            job.run(&mut batch)?;
        }
        drop(batch);
        let Effects {
            changed,
            changes,
            held,
            ..
        } = effects;
        if changed {
            // The lock keeps a count from taking a snapshot before it knows that the batch is on disk.
            let mut usage = self.usage.locked();
            transaction.commit()?;
            usage.tally.committed();
            drop(usage);
            self.counts.flushes.fetch_add(1, Ordering::Relaxed);
        } else {
            transaction.abort()?;
        }
        if !changes.is_empty() {
            let mut directory = self
                .directory
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            for change in changes {
                directory.apply(change);
            }
        }
        held.commit();
        Ok(())
    }
}
