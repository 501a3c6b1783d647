//! Tests of which attempts wait in memory, which are left to the index, and how these come back.

use super::*;

fn limits(waiting: usize, lane_waiting: usize) -> Limits {
    Limits {
        waiting,
        lane_waiting,
        ..Limits::default()
    }
}

/// Starts all ready attempts, one at a time.
fn drain(order: &mut Order, at: Timestamp) -> Vec<DeliveryPointer> {
    let mut taken = Vec::new();
    while let Some(pointer) = order.start(at) {
        order.end(&pointer, AttemptEnd::Well);
        taken.push(pointer);
    }
    taken
}

#[test]
fn app_that_fills_its_share_leaves_room_for_others() {
    let mut order = Order::new(limits(1000, 100));
    for origin in 0..100 {
        assert_eq!(order.put(pointer_of(1, origin, 0), NOW), Enqueued::Waiting);
    }
    let more = order.put(pointer_of(1, 100, 0), NOW);
    assert_eq!(more, Enqueued::LeftToSweep);
    assert_eq!(order.put(pointer_of(2, 0, 0), NOW), Enqueued::Waiting);
}

#[test]
fn full_queue_pushes_out_receivers_of_the_largest_app() {
    let mut order = Order::new(limits(100, 80));
    for origin in 0..80 {
        order.put(pointer_of(1, origin, 0), NOW);
    }
    for origin in 0..20 {
        order.put(pointer_of(2, origin, 0), NOW);
    }
    // A third app arrives last and still gets an equal share.
    for origin in 0..33 {
        assert_eq!(order.put(pointer_of(3, origin, 0), NOW), Enqueued::Waiting);
    }
    // The app with the most receivers cannot evict the receivers of others.
    let more = order.put(pointer_of(1, 99, 0), NOW);
    assert_eq!(more, Enqueued::LeftToSweep);
    let count = |taken: &[DeliveryPointer], app| {
        let of_app = |pointer: &&DeliveryPointer| pointer.group.as_bytes()[0] == app;
        taken.iter().filter(of_app).count()
    };
    let taken = drain(&mut order, NOW);
    assert_eq!([1, 2, 3].map(|app| count(&taken, app)), [47, 20, 33]);
    assert!(order.fair.is_idle());
    order.list(NOW);
    assert_eq!(count(&drain(&mut order, NOW), 1), 34, "nothing is lost");
}

#[test]
fn receiver_takes_one_place_however_many_webhooks_wait() {
    let mut order = Order::new(limits(1000, 2));
    for number in 0..100 {
        let at = NOW.plus(Duration::from_millis(number.into()));
        assert_eq!(order.put(pointer_of(1, 0, number), at), Enqueued::Waiting);
    }
    assert_eq!(order.put(pointer_of(1, 1, 0), NOW), Enqueued::Waiting);
    let taken = drain(&mut order, NOW.plus(SECOND));
    let of_first: Vec<_> = taken
        .into_iter()
        .filter(|pointer| pointer.group == group_of(1, 0))
        .collect();
    let expected: Vec<_> = (0..100).map(|number| pointer_of(1, 0, number)).collect();
    assert_eq!(of_first, expected, "earliest first");
}

#[test]
fn receiver_that_waits_longest_is_pushed_out() {
    let mut order = Order::new(limits(3, 3));
    for (origin, seconds) in [(1, 0), (2, 9), (3, 1)] {
        order.put(pointer_of(1, origin, 0), NOW.plus(seconds * SECOND));
    }
    order.put(pointer_of(2, 1, 0), NOW);
    let taken = drain(&mut order, NOW.plus(10 * SECOND));
    assert!(!taken.contains(&pointer_of(1, 2, 0)));
    assert_eq!(taken.len(), 3);
}

#[test]
fn delivery_has_only_one_waiting_attempt() {
    let mut order = Order::new(Limits::default());
    let at = |seconds| NOW.plus(seconds * SECOND);
    let first = pointer_of(1, 0, 1);
    let second = DeliveryPointer {
        attempts_claimed: 1,
        ..first
    };
    let third = DeliveryPointer {
        attempts_claimed: 2,
        ..first
    };
    // For the same attempt, the earlier time is used.
    order.put(first, at(5));
    order.put(first, at(9));
    assert_eq!(order.fair.next_at(), Some(at(5)));
    order.put(first, at(1));
    assert_eq!(order.fair.next_at(), Some(at(1)));
    assert_eq!(order.start(at(1)), Some(first));
    // An attempt in flight is not made twice.
    order.put(first, at(1));
    order.list(at(1));
    assert_eq!(order.start(at(1)), None);
    // The next attempt may wait while this one is in flight.
    order.put(second, at(2));
    order.end(&first, AttemptEnd::Ill);
    assert_eq!(order.start(at(1)), None);
    assert_eq!(order.start(at(2)), Some(second));
    order.put(third, at(4));
    order.end(&second, AttemptEnd::Ill);
    assert_eq!(order.start(at(4)), Some(third));
    order.end(&third, AttemptEnd::Well);
    assert!(order.fair.is_idle());
}

#[test]
fn due_attempt_that_moved_waits_for_its_new_time() {
    let mut order = Order::new(Limits::default());
    // The two attempts that a new receiver may have are in flight, so the third waits.
    for number in 0..3 {
        order.put(pointer_of(1, 0, number), NOW);
    }
    let taken = [order.start(NOW), order.start(NOW)];
    assert_eq!(order.start(NOW), None);
    let moved = DeliveryPointer {
        attempts_claimed: 1,
        ..pointer_of(1, 0, 2)
    };
    order.put(moved, NOW.plus(SECOND));
    for pointer in taken.into_iter().flatten() {
        order.end(&pointer, AttemptEnd::Well);
    }
    assert_eq!(order.start(NOW), None);
    assert_eq!(order.start(NOW.plus(SECOND)), Some(moved));
}

/// For example after an attempt panicked, or for a document that cannot be read.
#[test]
fn unsettled_attempt_rests_and_delays_no_other_to_its_receiver() {
    let mut order = Order::new(Limits::default());
    for number in 0..20 {
        order.put(pointer_of(1, 0, number), NOW);
    }
    let mut unsettled = Vec::new();
    let mut made = 0;
    while let Some(pointer) = order.start(NOW) {
        made += 1;
        if made % 2 == 0 {
            order.end(&pointer, AttemptEnd::Well);
        } else {
            order.end(&pointer, AttemptEnd::Unsettled);
            unsettled.push(pointer);
        }
    }
    assert_eq!((made, unsettled.len()), (20, 10));
    order.list(NOW.plus(30 * SECOND));
    assert_eq!(order.start(NOW.plus(30 * SECOND)), None);
    order.list(NOW.plus(60 * SECOND));
    let mut again = drain(&mut order, NOW.plus(60 * SECOND));
    again.sort_by_key(|pointer| pointer.subject);
    unsettled.sort_by_key(|pointer| pointer.subject);
    assert_eq!(again, unsettled);
}

/// There is room for ten receivers. Each minute, all of them are tried and all fail.
#[test]
fn receivers_without_room_get_their_turn_in_the_order_of_the_index() {
    let mut order = Order::new(limits(1000, 10));
    for origin in 0..30 {
        order.index.add(NextAttempt {
            at: NOW,
            pointer: pointer_of(1, origin, 0),
        });
    }
    let mut tried = std::collections::BTreeSet::new();
    for minute in 0..3 {
        let now = NOW.plus(minute * 60 * SECOND);
        order.list(now);
        let mut held = Vec::new();
        while let Some(pointer) = order.start(now) {
            held.push(pointer);
        }
        assert_eq!(held.len(), 10);
        for pointer in held {
            tried.insert(pointer.subject);
            let retry = DeliveryPointer {
                attempts_claimed: pointer.attempts_claimed + 1,
                ..pointer
            };
            let at = now.plus(Duration::from_mins(10));
            order.put(retry, at);
            order.end(&pointer, AttemptEnd::Ill);
        }
    }
    assert_eq!(tried.len(), 30);
}

#[tokio::test(start_paused = true)]
async fn lane_with_room_again_takes_more_immediately() {
    let host = Host::new(limits(1000, 100));
    for origin in 0..250 {
        let enqueued = host.enqueue(pointer_of(1, origin, 0), Duration::ZERO).await;
        assert_eq!(enqueued == Enqueued::LeftToSweep, origin >= 100);
    }
    let began = Instant::now();
    let made = Arc::new(AtomicUsize::new(0));
    let run = host.run(|_| {
        if made.fetch_add(1, Ordering::Relaxed) == 249 {
            host.queue.close();
        }
        async { AttemptEnd::Well }
    });
    soon(run).await;
    assert!(began.elapsed() < SECOND, "on the paused clock");
}

#[tokio::test(start_paused = true)]
async fn webhook_that_was_never_enqueued_is_found_within_a_minute() {
    let host = Host::new(Limits::default());
    let (sent, mut handed_out) = mpsc::unbounded_channel();
    host.add(pointer(1, 1), Duration::ZERO);
    let running = tokio::spawn({
        let host = host.clone();
        async move {
            host.run(|pointer| {
                let _ = sent.send(pointer);
                async { AttemptEnd::Well }
            })
            .await;
        }
    });
    // Attempts left over from the previous process are loaded at startup.
    let began = Instant::now();
    assert_eq!(soon(handed_out.recv()).await, Some(pointer(1, 1)));
    assert_eq!(began.elapsed(), Duration::ZERO);
    host.add(pointer(2, 1), Duration::ZERO);
    assert_eq!(soon(handed_out.recv()).await, Some(pointer(2, 1)));
    assert!(began.elapsed() <= LIST_INTERVAL);
    // An attempt that is too far in the future to be enqueued is still made on time.
    let wait = 4 * LIST_INTERVAL + SECOND;
    let began = Instant::now();
    host.add(pointer(3, 1), wait);
    assert_eq!(soon(handed_out.recv()).await, Some(pointer(3, 1)));
    assert!(began.elapsed() >= wait && began.elapsed() < wait + SECOND);
    host.queue.close();
    running.await.unwrap();
}

#[tokio::test]
async fn closed_queue_leaves_everything_to_the_index() {
    let host = Host::new(Limits::default());
    host.queue.close();
    let enqueued = host.enqueue(pointer(4, 1), SECOND).await;
    assert_eq!(enqueued, Enqueued::LeftToSweep);
}
