use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use countersign_conformance::model::PendingMap;
use countersign_conformance::ports::TokioClock;
use countersign_conformance::samples::NOW;
use countersign_domain::delivery::{DeliveryKind, DeliverySubject, ReceiverGroup, ReceiverShard};
use countersign_domain::primitives::ids::ConfirmationId;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::*;

mod room;
mod tenants;

fn pointer(number: u8, group: u8) -> DeliveryPointer {
    attempt(number, group, 0)
}

fn attempt(number: u8, group: u8, attempts_claimed: u32) -> DeliveryPointer {
    let mut id = [group; 16];
    id[0] = number;
    DeliveryPointer {
        subject: ConfirmationId::from_bytes(id).into(),
        attempts_claimed,
        group: ReceiverGroup::from_bytes(DeliveryKind::Confirmations, [group; 16]),
    }
}

/// A group of app `app` to origin `origin`.
fn group_of(app: u8, origin: u16) -> ReceiverGroup {
    let mut group = [app; 16];
    group[14..].copy_from_slice(&origin.to_be_bytes());
    ReceiverGroup::from_bytes(DeliveryKind::Confirmations, group)
}

/// Delivery `number` of app `app` to origin `origin`.
fn pointer_of(app: u8, origin: u16, number: u32) -> DeliveryPointer {
    let mut id = [app; 16];
    id[..4].copy_from_slice(&number.to_be_bytes());
    id[4..6].copy_from_slice(&origin.to_be_bytes());
    DeliveryPointer {
        subject: ConfirmationId::from_bytes(id).into(),
        attempts_claimed: 0,
        group: group_of(app, origin),
    }
}

/// The index of a store: the next attempt of each delivery.
#[derive(Default)]
struct Index {
    pending: PendingMap,
    of: HashMap<DeliverySubject, NextAttempt>,
}

impl Index {
    fn add(&mut self, new: NextAttempt) {
        let attempt = new.pointer.attempts_claimed;
        if let Some(known) = self.of.get(&new.pointer.subject) {
            let old = known.pointer.attempts_claimed;
            if attempt < old || (attempt == old && known.at <= new.at) {
                return;
            }
            self.pending.remove(known);
        }
        self.pending.insert(&new);
        self.of.insert(new.pointer.subject, new);
    }

    fn settle(&mut self, pointer: &DeliveryPointer, ended: AttemptEnd) {
        let known = self.of.get(&pointer.subject);
        let is_next = known.is_some_and(|known| known.pointer == *pointer);
        if is_next && ended != AttemptEnd::Unsettled {
            let settled = self.of.remove(&pointer.subject);
            settled.inspect(|settled| self.pending.remove(settled));
        }
    }
}

/// The order of a queue, together with its index.
struct Order {
    fair: FairQueue,
    index: Index,
    now: Timestamp,
}

impl Order {
    fn new(limits: Limits) -> Self {
        Self {
            fair: FairQueue::new(limits),
            index: Index::default(),
            now: NOW,
        }
    }

    fn put(&mut self, pointer: DeliveryPointer, at: Timestamp) -> Enqueued {
        let next = NextAttempt { at, pointer };
        self.index.add(next);
        self.fair.put(next, self.now)
    }

    fn start(&mut self, now: Timestamp) -> Option<DeliveryPointer> {
        self.now = now;
        self.fair.start(&self.index.pending, now)
    }

    fn end(&mut self, pointer: &DeliveryPointer, ended: AttemptEnd) {
        self.index.settle(pointer, ended);
        self.fair.end(pointer, ended, self.now);
    }

    /// Goes through the whole index.
    fn list(&mut self, now: Timestamp) {
        let mut after = None;
        while let Some(more) = self.fair.list(&self.index.pending, now, after) {
            after = Some(more);
        }
    }
}

/// A queue, together with its index.
#[derive(Clone)]
struct Host {
    queue: LocalQueue,
    index: Arc<Shelf>,
}

#[derive(Default)]
struct Shelf(Mutex<Index>);

impl PendingIndex for Shelf {
    fn shards(
        &self,
        after: Option<ReceiverShard>,
        limit: usize,
    ) -> Result<Vec<(ReceiverShard, Timestamp)>, Unavailable> {
        self.0.lock().unwrap().pending.shards(after, limit)
    }

    fn attempts(
        &self,
        shard: ReceiverShard,
        limit: usize,
    ) -> Result<Vec<NextAttempt>, Unavailable> {
        self.0.lock().unwrap().pending.attempts(shard, limit)
    }
}

impl Host {
    fn new(limits: Limits) -> Self {
        Self {
            queue: LocalQueue::new(limits, Arc::new(TokioClock(Instant::now()))),
            index: Arc::default(),
        }
    }

    /// Stores a pending attempt without notifying the queue.
    fn add(&self, pointer: DeliveryPointer, delay: Duration) {
        let at = self.queue.shared.clock.now().plus(delay);
        self.index
            .0
            .lock()
            .unwrap()
            .add(NextAttempt { at, pointer });
    }

    async fn enqueue(&self, pointer: DeliveryPointer, delay: Duration) -> Enqueued {
        self.add(pointer, delay);
        self.queue.enqueue(pointer, delay).await.unwrap()
    }

    async fn run<A>(&self, make_attempt: impl Fn(DeliveryPointer) -> A)
    where
        A: Future<Output = AttemptEnd> + Send + 'static,
    {
        let run = self.queue.run(self.index.as_ref(), |pointer| {
            let (attempt, index) = (make_attempt(pointer), Arc::clone(&self.index));
            async move {
                let ended = attempt.await;
                index.0.lock().unwrap().settle(&pointer, ended);
                ended
            }
        });
        run.await;
    }
}

const SECOND: Duration = Duration::from_secs(1);

/// Fails instead of hanging if a future never completes. Nothing here takes an hour on the paused clock.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    let ended = tokio::time::timeout(Duration::from_hours(1), future).await;
    ended.expect("hung")
}

#[tokio::test(start_paused = true)]
async fn pointer_is_handed_out_when_its_delay_is_over() {
    let host = Host::new(Limits::default());
    let (sent, mut handed_out) = mpsc::unbounded_channel();
    let began = Instant::now();
    host.enqueue(pointer(1, 1), 5 * SECOND).await;
    host.enqueue(pointer(2, 1), Duration::ZERO).await;
    host.enqueue(pointer(3, 1), 2 * SECOND).await;
    let running = tokio::spawn({
        let host = host.clone();
        async move {
            host.run(|pointer| {
                let _ = sent.send((pointer.subject.id_bytes()[0], began.elapsed()));
                async { AttemptEnd::Well }
            })
            .await;
        }
    });
    for (number, at) in [(2, Duration::ZERO), (3, 2 * SECOND), (1, 5 * SECOND)] {
        let (handed, after) = soon(handed_out.recv()).await.unwrap();
        assert_eq!(handed, number);
        assert!(
            after >= at && after < at + SECOND,
            "{number} after {after:?}"
        );
    }
    host.queue.close();
    running.await.unwrap();
    assert!(host.queue.waiting().is_idle());
}

#[tokio::test(start_paused = true)]
async fn no_bound_is_exceeded() {
    let limits = Limits {
        waiting: 10_000,
        lane_waiting: 10_000,
        under_way: 64,
        lane_under_way: 64,
        unproven: 16,
        lane_unproven: 6,
        group: 8,
    };
    let host = Host::new(limits);
    for number in 0..200 {
        for group in 0..10 {
            host.enqueue(attempt(number, group, u32::from(number % 2)), SECOND)
                .await;
        }
    }
    let under_way: Arc<Mutex<HashMap<u8, usize>>> = Arc::default();
    let highest = Arc::new(AtomicUsize::new(0));
    let made = Arc::new(AtomicUsize::new(0));
    let run = host.run(|pointer| {
        let (under_way, highest, made) = (under_way.clone(), highest.clone(), made.clone());
        let (host, group) = (host.clone(), pointer.group.as_bytes()[0]);
        async move {
            let (own, all) = {
                let mut under_way = under_way.lock().unwrap();
                *under_way.entry(group).or_default() += 1;
                (under_way[&group], under_way.values().sum::<usize>())
            };
            assert!(
                own <= limits.group && all <= limits.under_way,
                "{own} of {all}"
            );
            highest.fetch_max(own, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(10)).await; // sleep: simulates the duration of an attempt
            *under_way.lock().unwrap().get_mut(&group).unwrap() -= 1;
            if made.fetch_add(1, Ordering::Relaxed) == 1999 {
                host.queue.close();
            }
            if group < 5 {
                AttemptEnd::Well
            } else {
                AttemptEnd::Ill
            }
        }
    });
    soon(run).await;
    assert_eq!(made.load(Ordering::Relaxed), 2000, "nothing is lost");
    // A healthy receiver gets its share.
    assert_eq!(highest.load(Ordering::Relaxed), limits.group);
}

#[tokio::test(start_paused = true)]
async fn panicking_attempt_frees_its_room() {
    let host = Host::new(Limits {
        under_way: 1,
        ..Limits::default()
    });
    let (sent, mut handed_out) = mpsc::unbounded_channel();
    for number in 0..3 {
        host.enqueue(pointer(number, 1), Duration::ZERO).await;
    }
    let running = tokio::spawn({
        let host = host.clone();
        async move {
            host.run(|pointer| {
                let _ = sent.send(pointer.subject.id_bytes()[0]);
                async { panic!("an attempt that panics, on purpose") }
            })
            .await;
        }
    });
    for number in 0..3 {
        assert_eq!(soon(handed_out.recv()).await, Some(number));
    }
    host.queue.close();
    running.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn attempt_that_never_begins_frees_its_room() {
    let host = Host::new(Limits::default());
    host.enqueue(pointer(1, 1), Duration::ZERO).await;
    {
        let begun = AtomicUsize::new(0);
        let run = host.run(|_| {
            begun.fetch_add(1, Ordering::Relaxed);
            async { unreachable!("its task is dropped before it is polled") }
        });
        // One poll spawns the attempt's task, which this test's only thread has no time to poll.
        tokio::select! {
            biased;
            () = run => unreachable!("the queue is open"),
            () = std::future::ready(()) => {}
        }
        assert_eq!(begun.load(Ordering::Relaxed), 1);
        assert!(!host.queue.waiting().is_idle());
    }
    // The task itself is dropped when the runtime comes to it.
    tokio::task::yield_now().await;
    assert!(host.queue.waiting().is_idle());
}

#[tokio::test]
async fn first_attempts_and_retries_take_turns() {
    let mut fair = Order::new(Limits::default());
    let now = NOW;
    for number in 0..4 {
        assert_eq!(fair.put(attempt(number, 1, 3), now), Enqueued::Waiting);
    }
    for number in 10..14 {
        assert_eq!(fair.put(attempt(number, 1, 0), now), Enqueued::Waiting);
    }
    let mut order = Vec::new();
    while let Some(pointer) = fair.start(now) {
        order.push(pointer.subject.id_bytes()[0]);
        fair.end(&pointer, AttemptEnd::Well);
    }
    assert_eq!(order, [10, 0, 11, 1, 12, 2, 13, 3]);
}
