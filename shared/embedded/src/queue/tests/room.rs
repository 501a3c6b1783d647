//! Tests of the room for pointers: which wait, which are left to the sweep, and which are pushed out.

use super::*;

fn limits(waiting: usize, lane_waiting: usize) -> Limits {
    Limits {
        waiting,
        lane_waiting,
        ..Limits::default()
    }
}

fn now() -> Instant {
    Instant::now()
}

/// Takes everything that is ready, one at a time.
fn drain(fair: &mut Fair, at: Instant) -> Vec<DeliveryPointer> {
    let mut taken = Vec::new();
    while let Some(pointer) = fair.start(at) {
        fair.end(&pointer, Health::Well);
        taken.push(pointer);
    }
    taken
}

#[tokio::test]
async fn app_that_fills_its_share_leaves_room_for_others() {
    let mut fair = Fair::new(limits(1000, 100));
    let at = now();
    for number in 0..100 {
        assert_eq!(fair.put(pointer_of(1, 0, number), at), Enqueued::Waiting);
    }
    let more = pointer_of(1, 0, 100);
    let lane = more.group.lane();
    assert_eq!(fair.room_for(lane, more.subject), Room::Contested);
    assert_eq!(fair.put(more, at), Enqueued::LeftToSweep);
    let other = pointer_of(2, 0, 0);
    let room = fair.room_for(other.group.lane(), other.subject);
    assert_eq!(room, Room::Free(100));
    assert_eq!(fair.put(other, at), Enqueued::Waiting);
    assert_eq!(fair.room_for(other.group.lane(), other.subject), Room::Held);
}

#[tokio::test]
async fn full_queue_pushes_out_pointers_of_the_largest_app() {
    let mut fair = Fair::new(limits(100, 80));
    let at = now();
    for number in 0..80 {
        fair.put(pointer_of(1, 0, number), at);
    }
    for number in 0..20 {
        fair.put(pointer_of(2, 0, number), at);
    }
    // A third app arrives last and still gets an equal share.
    for number in 0..33 {
        assert_eq!(fair.put(pointer_of(3, 0, number), at), Enqueued::Waiting);
    }
    assert_eq!(fair.depth(), 100, "memory stays bounded");
    // The app with the most pointers cannot push out those of the others.
    assert_eq!(fair.put(pointer_of(1, 0, 99), at), Enqueued::LeftToSweep);
    let count = |taken: &[DeliveryPointer], app| {
        let of_app = |pointer: &&DeliveryPointer| pointer.group.as_bytes()[0] == app;
        taken.iter().filter(of_app).count()
    };
    let taken = drain(&mut fair, at);
    assert_eq!([1, 2, 3].map(|app| count(&taken, app)), [47, 20, 33]);
    assert_eq!(fair.depth(), 0);
}

#[tokio::test]
async fn largest_receiver_of_an_app_gives_way() {
    let mut fair = Fair::new(limits(1000, 10));
    let at = now();
    for number in 0..10 {
        fair.put(pointer_of(1, 1, number), at);
    }
    assert_eq!(fair.put(pointer_of(1, 2, 0), at), Enqueued::Waiting);
    assert_eq!(fair.put(pointer_of(1, 1, 10), at), Enqueued::LeftToSweep);
    let taken = drain(&mut fair, at);
    assert_eq!(taken.len(), 10);
    assert!(taken.contains(&pointer_of(1, 2, 0)));
    assert!(!taken.contains(&pointer_of(1, 1, 9)), "the last gave way");
}

#[tokio::test]
async fn largest_receiver_gives_way_in_a_queue_that_others_fill() {
    let mut fair = Fair::new(limits(20, 15));
    let at = now();
    for number in 0..10 {
        fair.put(pointer_of(1, 1, number), at);
        fair.put(pointer_of(2, 1, number), at);
    }
    let other = pointer_of(1, 2, 0);
    let room = fair.room_for(other.group.lane(), other.subject);
    assert_eq!(room, Room::Contested);
    assert_eq!(fair.put(other, at), Enqueued::Waiting);
    assert_eq!(fair.put(pointer_of(1, 1, 10), at), Enqueued::LeftToSweep);
    assert_eq!(fair.depth(), 20, "memory stays bounded");
    let taken = drain(&mut fair, at);
    assert!(!taken.contains(&pointer_of(1, 1, 9)), "its own gave way");
}

#[tokio::test]
async fn receivers_with_one_pointer_each_do_not_contest_room() {
    let mut fair = Fair::new(limits(1000, 10));
    let at = now();
    for origin in 0..10 {
        fair.put(pointer_of(1, origin, 0), at);
    }
    let more = pointer_of(1, 10, 0);
    assert_eq!(fair.room_for(more.group.lane(), more.subject), Room::Full);
    assert_eq!(fair.put(more, at), Enqueued::LeftToSweep);
}

#[tokio::test]
async fn longest_waiting_pointer_is_pushed_out_last() {
    let mut fair = Fair::new(limits(1000, 3));
    let at = now();
    fair.put(pointer_of(1, 1, 0), at + 9 * SECOND);
    fair.put(pointer_of(1, 1, 1), at);
    fair.put(pointer_of(1, 1, 2), at + SECOND);
    fair.put(pointer_of(1, 2, 0), at);
    let taken = drain(&mut fair, at + 10 * SECOND);
    assert!(!taken.contains(&pointer_of(1, 1, 0)));
    assert_eq!(taken.len(), 3);
}

#[tokio::test]
async fn delivery_has_only_one_waiting_pointer() {
    let mut fair = Fair::new(Limits::default());
    let at = now();
    let first = pointer_of(1, 0, 1);
    let second = DeliveryPointer {
        attempts_claimed: 1,
        ..first
    };
    // For the same attempt, the earlier time counts.
    fair.put(first, at + 5 * SECOND);
    fair.put(first, at + 9 * SECOND);
    assert_eq!(fair.next_at(), Some(at + 5 * SECOND));
    fair.put(first, at + SECOND);
    assert_eq!(fair.next_at(), Some(at + SECOND));
    assert_eq!(fair.depth(), 1);
    // A later attempt replaces the earlier one, and its time.
    fair.put(second, at + 2 * SECOND);
    fair.put(first, at);
    assert_eq!(fair.depth(), 1);
    assert_eq!(fair.start(at + SECOND), None);
    assert_eq!(fair.start(at + 2 * SECOND), Some(second));
    assert!(fair.is_under_way(second.subject));
    // The next attempt may wait while this one is under way.
    let third = DeliveryPointer {
        attempts_claimed: 2,
        ..first
    };
    fair.put(third, at + 2 * SECOND);
    fair.end(&second, Health::Ill);
    assert!(!fair.is_under_way(second.subject));
    assert_eq!(fair.start(at + 2 * SECOND), Some(third));
    fair.end(&third, Health::Well);
    assert_eq!(fair.depth(), 0);
}

#[tokio::test]
async fn ready_pointer_that_moved_waits_for_its_new_time() {
    let mut fair = Fair::new(Limits::default());
    let at = now();
    // Two receivers' worth is under way, so that the third waits, ready.
    for number in 0..3 {
        fair.put(pointer_of(1, 0, number), at);
    }
    let taken = [fair.start(at), fair.start(at)];
    assert_eq!(fair.start(at), None);
    let moved = DeliveryPointer {
        attempts_claimed: 1,
        ..pointer_of(1, 0, 2)
    };
    fair.put(moved, at + SECOND);
    for pointer in taken.into_iter().flatten() {
        fair.end(&pointer, Health::Well);
    }
    assert_eq!(fair.start(at), None);
    assert_eq!(fair.start(at + SECOND), Some(moved));
}

#[tokio::test(start_paused = true)]
async fn half_empty_lane_asks_for_a_sweep() {
    let queue = LocalQueue::new(limits(1000, 100));
    for number in 0..101 {
        let enqueued = queue
            .enqueue(pointer_of(1, 0, number), Duration::ZERO)
            .await
            .unwrap();
        assert_eq!(enqueued == Enqueued::LeftToSweep, number == 100);
    }
    let (sent, mut handed_out) = mpsc::unbounded_channel();
    let running = tokio::spawn({
        let queue = queue.clone();
        async move {
            queue
                .run(|pointer| {
                    let _ = sent.send(pointer);
                    async { Health::Well }
                })
                .await;
        }
    });
    soon(queue.wants_refill()).await;
    queue.close();
    running.await.unwrap();
    let mut count = 0;
    while handed_out.try_recv().is_ok() {
        count += 1;
    }
    assert!(count >= 50, "asked after {count} of 100");
}

#[tokio::test]
async fn closed_queue_leaves_everything_to_the_sweep() {
    let queue = LocalQueue::new(Limits::default());
    queue.close();
    let enqueued = queue.enqueue(pointer(4, 1), SECOND).await.unwrap();
    assert_eq!(enqueued, Enqueued::LeftToSweep);
}
