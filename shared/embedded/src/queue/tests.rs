use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use countersign_domain::delivery::queue::Enqueued;
use countersign_domain::delivery::{DeliveryGroup, DeliveryKind};
use countersign_domain::primitives::ids::ConfirmationId;
use tokio::sync::mpsc;

use super::*;

mod room;
mod tenants;

fn pointer(number: u8, group: u8) -> DeliveryPointer {
    attempt(number, group, 0)
}

fn subject(number: u8, group: u8) -> DeliverySubject {
    let mut id = [group; 16];
    id[0] = number;
    ConfirmationId::from_bytes(id).into()
}

fn attempt(number: u8, group: u8, attempts_claimed: u32) -> DeliveryPointer {
    DeliveryPointer {
        subject: subject(number, group),
        attempts_claimed,
        group: DeliveryGroup::from_bytes(DeliveryKind::Confirmations, [group; 16]),
    }
}

/// A group of app `app` to origin `origin`.
fn group_of(app: u8, origin: u16) -> DeliveryGroup {
    let mut group = [app; 16];
    group[14..].copy_from_slice(&origin.to_be_bytes());
    DeliveryGroup::from_bytes(DeliveryKind::Confirmations, group)
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

const SECOND: Duration = Duration::from_secs(1);

/// Fails instead of hanging if a future waits for nothing. Nothing here takes an hour of the paused clock.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    let ended = tokio::time::timeout(Duration::from_hours(1), future).await;
    ended.expect("hung")
}

#[tokio::test(start_paused = true)]
async fn pointer_is_handed_out_when_its_delay_is_over() {
    let queue = LocalQueue::new(Limits::default());
    let (sent, mut handed_out) = mpsc::unbounded_channel();
    let began = Instant::now();
    queue.enqueue(pointer(1, 1), 5 * SECOND).await.unwrap();
    queue.enqueue(pointer(2, 1), Duration::ZERO).await.unwrap();
    queue.enqueue(pointer(3, 1), 2 * SECOND).await.unwrap();
    let running = tokio::spawn({
        let queue = queue.clone();
        async move {
            queue
                .run(|pointer| {
                    let _ = sent.send((pointer.subject.key()[1], began.elapsed()));
                    async { Health::Well }
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
    queue.close();
    running.await.unwrap();
    assert_eq!(queue.depth(), 0);
}

#[tokio::test(start_paused = true)]
async fn hundred_hanging_receivers_do_not_delay_a_good_one() {
    let queue = LocalQueue::new(Limits::default());
    for group in 1..=100 {
        for number in 0..50 {
            queue
                .enqueue(pointer(number, group), Duration::ZERO)
                .await
                .unwrap();
        }
    }
    let (sent, mut served) = mpsc::unbounded_channel();
    let running = tokio::spawn({
        let queue = queue.clone();
        async move {
            queue
                .run(move |pointer| {
                    let sent = sent.clone();
                    async move {
                        if pointer.group.as_bytes()[0] == 0 {
                            let _ = sent.send(Instant::now());
                            Health::Well
                        } else {
                            tokio::time::sleep(10 * SECOND).await; // sleep: a receiver that hangs
                            Health::Ill
                        }
                    }
                })
                .await;
        }
    });
    let mut slowest = Duration::ZERO;
    for number in 0..200 {
        let began = Instant::now();
        queue
            .enqueue(pointer(number, 0), Duration::ZERO)
            .await
            .unwrap();
        slowest = slowest.max(soon(served.recv()).await.unwrap() - began);
    }
    assert_eq!(
        slowest,
        Duration::ZERO,
        "on the paused clock, waiting for nobody takes no time"
    );
    running.abort();
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
    let queue = LocalQueue::new(limits);
    for number in 0..200 {
        for group in 0..10 {
            queue
                .enqueue(attempt(number, group, u32::from(number % 2)), SECOND)
                .await
                .unwrap();
        }
    }
    let under_way: Arc<Mutex<HashMap<u8, usize>>> = Arc::default();
    let highest = Arc::new(AtomicUsize::new(0));
    let made = Arc::new(AtomicUsize::new(0));
    let run = queue.run(|pointer| {
        let (under_way, highest, made) = (under_way.clone(), highest.clone(), made.clone());
        let (queue, group) = (queue.clone(), pointer.group.as_bytes()[0]);
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
            tokio::time::sleep(Duration::from_millis(10)).await; // sleep: an attempt takes its time
            *under_way.lock().unwrap().get_mut(&group).unwrap() -= 1;
            if made.fetch_add(1, Ordering::Relaxed) == 1999 {
                queue.close();
            }
            if group < 5 { Health::Well } else { Health::Ill }
        }
    });
    soon(run).await;
    assert_eq!(made.load(Ordering::Relaxed), 2000, "nothing is lost");
    assert_eq!(
        highest.load(Ordering::Relaxed),
        limits.group,
        "a well receiver gets its share"
    );
}

#[tokio::test(start_paused = true)]
async fn panicking_attempt_frees_its_room() {
    let queue = LocalQueue::new(Limits {
        under_way: 1,
        ..Limits::default()
    });
    let (sent, mut handed_out) = mpsc::unbounded_channel();
    for number in 0..3 {
        queue
            .enqueue(pointer(number, 1), Duration::ZERO)
            .await
            .unwrap();
    }
    let running = tokio::spawn({
        let queue = queue.clone();
        async move {
            queue
                .run(|pointer| {
                    let _ = sent.send(pointer.subject.key()[1]);
                    async { panic!("an attempt that panics, on purpose") }
                })
                .await;
        }
    });
    for number in 0..3 {
        assert_eq!(soon(handed_out.recv()).await, Some(number));
    }
    queue.close();
    running.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn attempt_that_never_begins_frees_its_room() {
    let queue = LocalQueue::new(Limits::default());
    queue.enqueue(pointer(1, 1), Duration::ZERO).await.unwrap();
    {
        let begun = AtomicUsize::new(0);
        let run = queue.run(|_| {
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
        assert_eq!(queue.depth(), 1);
    }
    // The task itself is dropped when the runtime comes to it.
    tokio::task::yield_now().await;
    assert_eq!(queue.depth(), 0);
}

#[tokio::test]
async fn first_attempts_and_retries_take_turns() {
    let mut fair = Fair::new(Limits::default());
    let now = Instant::now();
    for number in 0..4 {
        assert_eq!(fair.put(attempt(number, 1, 3), now), Enqueued::Waiting);
    }
    for number in 10..14 {
        assert_eq!(fair.put(attempt(number, 1, 0), now), Enqueued::Waiting);
    }
    let mut order = Vec::new();
    while let Some(pointer) = fair.start(now) {
        order.push(pointer.subject.key()[1]);
        fair.end(&pointer, Health::Well);
    }
    assert_eq!(order, [10, 0, 11, 1, 12, 2, 13, 3]);
}
