//! Reads that take long, such as a page of a list, on threads of their own, where apps take turns.
//!
//! Each app has one read under way at most, and the apps' reads get the threads in the order in which they came.
//! So an app that lists over a hundred connections takes no more turns than one that lists over one, and the server's
//! workers, which handle everybody's requests, wait for neither.

use std::collections::HashMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use countersign_domain::primitives::ids::AppId;
use rusqlite::Connection;
use tokio::sync::{Semaphore, oneshot};

use super::Fault;

/// Number of threads: while one waits for the disk, another reads.
pub(super) const THREADS: usize = 2;

/// The most reads of one app that are under way or wait.
const MAX_READS: usize = 1024;

/// Time limit for the turn of a read.
const TURN_TIMEOUT: Duration = Duration::from_secs(10);

/// For whom something is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Reader {
    App(AppId),
    /// The server itself and its operator.
    Operator,
}

type Job = Box<dyn FnOnce(&Connection) + Send>;

/// Handle to the threads.
#[derive(Debug)]
pub(super) struct LongReads {
    /// A place for one read of each reader. Only those that have reads are here.
    places: Mutex<HashMap<Reader, Weak<Semaphore>>>,
    /// A place for each thread.
    threads_free: Arc<Semaphore>,
    /// Queue to the threads, which never holds more jobs than there are threads. `None` once stopped.
    jobs: Mutex<Option<Sender<Job>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl LongReads {
    /// Starts a thread for each connection.
    pub(super) fn start(connections: Vec<Connection>) -> io::Result<Self> {
        let (jobs, received) = channel();
        let received = Arc::new(Mutex::new(received));
        let free = connections.len();
        let threads = connections.into_iter().map(|connection| {
            let received = Arc::clone(&received);
            let thread = std::thread::Builder::new().name("countersign-read".to_owned());
            thread.spawn(move || run(&connection, &received))
        });
        Ok(Self {
            threads: Mutex::new(threads.collect::<io::Result<_>>()?),
            places: Mutex::default(),
            threads_free: Arc::new(Semaphore::new(free)),
            jobs: Mutex::new(Some(jobs)),
        })
    }

    /// Reads the last committed state once it is the reader's turn.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        reader: Reader,
        read: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let place = self.place(reader);
        if Arc::strong_count(&place) > MAX_READS {
            return Err(Fault::Busy);
        }
        // Both are fair: whoever waits longest is next.
        let turn = async {
            let place = place.acquire_owned().await?;
            let thread = Arc::clone(&self.threads_free).acquire_owned().await?;
            Ok((place, thread))
        };
        let turn = tokio::time::timeout(TURN_TIMEOUT, turn).await;
        let turn = turn.map_err(|_| Fault::Busy)?;
        let turn = turn.map_err(|_: tokio::sync::AcquireError| Fault::Closed)?;
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let found = read(connection);
            // The next read can begin, even if the caller no longer waits.
            drop(turn);
            let _ = answer.send(found);
        });
        self.send(job)?;
        answered.await.unwrap_or(Err(Fault::Closed))
    }

    fn send(&self, job: Job) -> Result<(), Fault> {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let jobs = jobs.as_ref().ok_or(Fault::Closed)?;
        jobs.send(job).map_err(|_| Fault::Closed)
    }

    /// Returns the place of a reader, which all its reads share.
    fn place(&self, reader: Reader) -> Arc<Semaphore> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = places.get(&reader).and_then(Weak::upgrade) {
            return place;
        }
        places.retain(|_, place| place.strong_count() > 0);
        let place = Arc::new(Semaphore::new(1));
        places.insert(reader, Arc::downgrade(&place));
        place
    }

    /// Fails what waits, and waits for the reads under way.
    pub(super) fn stop(&self) {
        self.threads_free.close();
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(jobs);
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            // If the thread panicked, its callers have got an error already.
            let _ = thread.join();
        }
    }
}

/// Runs jobs until no more can come.
fn run(connection: &Connection, received: &Mutex<Receiver<Job>>) {
    loop {
        let job = received.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        // A panic ends one read: its caller gets an error, because the answer is dropped.
        let _ = catch_unwind(AssertUnwindSafe(|| job(connection)));
    }
}
