//! Long reads, such as a page of a list, on separate threads, where apps take turns.
//!
//! Each app has at most one read in progress, and the apps' reads get the threads in order of arrival. An app that
//! lists over a hundred connections therefore gets no more turns than one that lists over a single connection, and
//! the server's workers, which handle all requests, wait for neither.

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
use super::read::read_one_state;

/// Number of threads: while one waits for the disk, another reads.
pub(super) const THREADS: usize = 2;

/// Maximum number of reads of one app that are in progress or waiting.
const MAX_READS: usize = 1024;

/// Maximum time that a read waits for its turn.
const TURN_TIMEOUT: Duration = Duration::from_secs(10);

/// On whose behalf data is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ReadOwner {
    App(AppId),
    /// The server itself and its operator.
    Operator,
}

type Job = Box<dyn FnOnce(&Connection) + Send>;

/// Handle to the threads.
#[derive(Debug)]
pub(super) struct LongReads {
    /// A permit for one read per reader. Contains only readers with reads in progress.
    places: Mutex<HashMap<ReadOwner, Weak<Semaphore>>>,
    /// One permit per thread.
    threads_free: Arc<Semaphore>,
    /// Queue to the threads, which never contains more jobs than there are threads. `None` once
    /// stopped.
    jobs: Mutex<Option<Sender<Job>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl LongReads {
    /// Starts one thread per connection.
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
        reader: ReadOwner,
        read: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let place = self.place(reader);
        if Arc::strong_count(&place) > MAX_READS {
            return Err(Fault::Busy);
        }
        // Both are fair: the longest waiter is next.
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
            let found = read_one_state(connection, read);
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

    /// Returns the permit of a reader, which all its reads share.
    fn place(&self, reader: ReadOwner) -> Arc<Semaphore> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = places.get(&reader).and_then(Weak::upgrade) {
            return place;
        }
        places.retain(|_, place| place.strong_count() > 0);
        let place = Arc::new(Semaphore::new(1));
        places.insert(reader, Arc::downgrade(&place));
        place
    }

    /// Fails all waiting reads, and waits for the reads in progress.
    pub(super) fn stop(&self) {
        self.threads_free.close();
        let jobs = self
            .jobs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        drop(jobs);
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            // If the thread panicked, its callers have already received an error.
            let _ = thread.join();
        }
    }
}

/// Runs jobs until the queue is closed.
fn run(connection: &Connection, received: &Mutex<Receiver<Job>>) {
    loop {
        let job = received
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        let Ok(job) = job else { return };
        // A panic ends only one read: its caller gets an error, because the answer channel is
        // dropped.
        let _ = catch_unwind(AssertUnwindSafe(|| job(connection)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures_util::future::join_all;

    use super::*;

    fn reads(threads: usize) -> Arc<LongReads> {
        let connections = (0..threads).map(|_| Connection::open_in_memory().unwrap());
        Arc::new(LongReads::start(connections.collect()).unwrap())
    }

    fn app(name: &str) -> ReadOwner {
        ReadOwner::App(name.parse().unwrap())
    }

    /// A read that has begun, and ends when the test allows it.
    struct Held {
        may_end: mpsc::Sender<()>,
        reading: tokio::task::JoinHandle<Result<(), Fault>>,
    }

    impl Held {
        async fn begin(reads: &Arc<LongReads>, reader: ReadOwner) -> Self {
            let (begun, has_begun) = oneshot::channel();
            let (may_end, ends) = mpsc::channel();
            let reads = Arc::clone(reads);
            let reading = tokio::spawn(async move {
                let read = move |_: &Connection| {
                    let _ = begun.send(());
                    let _ = ends.recv();
                    Ok(())
                };
                reads.read(reader, read).await
            });
            has_begun.await.unwrap();
            Self { may_end, reading }
        }

        async fn end(self) -> Result<(), Fault> {
            drop(self.may_end);
            self.reading.await.unwrap()
        }
    }

    #[tokio::test]
    async fn apps_take_turns_however_many_reads_one_has() {
        let reads = reads(1);
        let held = Held::begin(&reads, ReadOwner::Operator).await;
        let order = Arc::new(Mutex::new(Vec::new()));
        let read = |name: &'static str| {
            let order = Arc::clone(&order);
            reads.read(app(name), move |_| {
                order.lock().unwrap().push(name);
                Ok(())
            })
        };
        let waiting = ["a"; 50].into_iter().chain(["b", "c", "b"]).map(read);
        let (read, ended) = tokio::join!(join_all(waiting), held.end());
        ended.unwrap();
        assert!(read.iter().all(Result::is_ok));
        let order = order.lock().unwrap();
        assert_eq!(order[..5], ["a", "b", "c", "a", "b"], "{order:?}");
        assert_eq!(order.len(), 53);
    }

    #[tokio::test]
    async fn app_has_one_thread_while_another_is_free() {
        let reads = reads(2);
        let held = Held::begin(&reads, app("a")).await;
        let second = reads.read(app("a"), |_| Ok("a"));
        let other = reads.read(app("b"), |_| Ok("b"));
        let (second, first) = tokio::join!(second, async {
            assert_eq!(other.await.unwrap(), "b");
            held.end().await
        });
        first.unwrap();
        assert_eq!(second.unwrap(), "a");
    }

    #[tokio::test]
    async fn read_whose_caller_has_gone_takes_no_turn() {
        let reads = reads(1);
        let held = Held::begin(&reads, app("a")).await;
        let gone = tokio::spawn({
            let reads = Arc::clone(&reads);
            async move {
                reads
                    .read(app("a"), |_| -> Result<(), _> { panic!() })
                    .await
            }
        });
        tokio::task::yield_now().await;
        gone.abort();
        gone.await.unwrap_err();
        held.end().await.unwrap();
        assert_eq!(reads.read(app("a"), |_| Ok(7)).await.unwrap(), 7);
        assert_eq!(reads.places.lock().unwrap().len(), 1, "places are reused");
    }

    #[tokio::test(start_paused = true)]
    async fn read_whose_turn_does_not_come_fails() {
        let reads = reads(1);
        let held = Held::begin(&reads, ReadOwner::Operator).await;
        let late = reads.read(app("a"), |_| Ok(())).await;
        assert!(matches!(late, Err(Fault::Busy)), "{late:?}");
        held.end().await.unwrap();
        reads.read(app("a"), |_| Ok(())).await.unwrap();
    }

    #[tokio::test]
    async fn no_more_reads_of_an_app_wait_than_may() {
        let reads = reads(1);
        let held = Held::begin(&reads, app("a")).await;
        let waiting = join_all((0..MAX_READS).map(|_| reads.read(app("a"), |_| Ok(()))));
        let (waiting, other) = tokio::join!(waiting, async {
            let other = reads.read(app("b"), |_| Ok(()));
            let (other, ended) = tokio::join!(other, held.end());
            ended.and(other)
        });
        other.unwrap();
        let refused = waiting
            .iter()
            .filter(|read| matches!(read, Err(Fault::Busy)));
        assert_eq!(refused.count(), 1);
        assert_eq!(
            waiting.iter().filter(|read| read.is_ok()).count(),
            MAX_READS - 1
        );
    }

    #[tokio::test]
    async fn panic_ends_one_read() {
        let reads = reads(1);
        let failed = reads.read(app("a"), |_| -> Result<(), _> { panic!("a fault") });
        assert!(matches!(failed.await, Err(Fault::Closed)));
        reads.read(app("a"), |_| Ok(())).await.unwrap();
    }

    #[tokio::test]
    async fn stop_waits_for_a_read_under_way_and_fails_the_others() {
        let reads = reads(1);
        let held = Held::begin(&reads, app("a")).await;
        let (waiting, ended) = tokio::join!(reads.read(app("b"), |_| Ok(())), async {
            let stopping = Arc::clone(&reads);
            let stopped = tokio::task::spawn_blocking(move || stopping.stop());
            let ended = held.end().await;
            stopped.await.unwrap();
            ended
        });
        ended.unwrap();
        assert!(waiting.is_ok() || matches!(waiting, Err(Fault::Closed)));
        let late = reads.read(app("a"), |_| Ok(())).await;
        assert!(matches!(late, Err(Fault::Closed)));
    }
}
