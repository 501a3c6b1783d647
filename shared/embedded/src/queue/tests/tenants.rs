//! Tests that one app's receivers do not delay another app's webhooks.

use super::*;

const BAD: u8 = 1;
const GOOD: u8 = 2;

/// Starts all attempts that may start now.
fn start_all(fair: &mut Order, at: Timestamp) -> Vec<DeliveryPointer> {
    std::iter::from_fn(|| fair.start(at)).collect()
}

#[tokio::test]
async fn app_with_thousands_of_receivers_gets_its_share() {
    let limits = Limits::default();
    let mut fair = Order::new(limits);
    let at = NOW;
    for origin in 0..20_000 {
        fair.put(pointer_of(BAD, origin, 0), at);
    }
    let under_way = start_all(&mut fair, at);
    assert_eq!(under_way.len(), limits.lane_unproven);
    // The share stays the same after all these receivers have failed and been replaced by others.
    for pointer in &under_way {
        fair.end(pointer, AttemptEnd::Ill);
    }
    assert_eq!(start_all(&mut fair, at).len(), limits.lane_unproven);
}

#[tokio::test]
async fn receiver_that_proves_well_does_not_wait_behind_unproven_ones() {
    let limits = Limits::default();
    let mut fair = Order::new(limits);
    let at = NOW;
    for number in 0..10 {
        fair.put(pointer_of(BAD, 0, number), at);
    }
    for origin in 1..1_000 {
        fair.put(pointer_of(BAD, origin, 0), at);
    }
    let under_way = start_all(&mut fair, at);
    assert_eq!(under_way.len(), limits.lane_unproven);
    let proves = pointer_of(BAD, 0, 0).group;
    let first = under_way.iter().find(|pointer| pointer.group == proves);
    fair.end(first.unwrap(), AttemptEnd::Well);
    let next = fair.start(at);
    assert_eq!(next.map(|pointer| pointer.group), Some(proves));
}

#[tokio::test]
async fn well_receivers_that_hang_leave_room() {
    let limits = Limits::default();
    let mut fair = Order::new(limits);
    let at = NOW;
    for origin in 0..100 {
        for number in 0..100 {
            fair.put(pointer_of(BAD, origin, number), at);
        }
    }
    for _ in 0..2_000 {
        let pointer = fair.start(at).unwrap();
        fair.end(&pointer, AttemptEnd::Well);
    }
    assert_eq!(start_all(&mut fair, at).len(), limits.lane_under_way);
    let good = pointer_of(GOOD, 0, 0);
    fair.put(good, at);
    assert_eq!(fair.start(at), Some(good));
}

/// Attempts that began when their receiver was healthy may still hang when it fails.
#[tokio::test]
async fn failing_receivers_leave_room_for_a_new_one() {
    let limits = Limits::default();
    let mut fair = Order::new(limits);
    let at = NOW;
    for app in [10, 11] {
        for origin in 0..16 {
            for number in 0..200 {
                fair.put(pointer_of(app, origin, number), at);
            }
        }
    }
    for _ in 0..2_000 {
        let pointer = fair.start(at).unwrap();
        fair.end(&pointer, AttemptEnd::Well);
    }
    let held = start_all(&mut fair, at);
    assert!(held.len() > limits.unproven, "{} hang", held.len());
    let mut ill = HashMap::new();
    for pointer in held {
        ill.entry(pointer.group).or_insert(pointer);
    }
    assert_eq!(ill.len(), 32, "each receiver has some");
    for pointer in ill.values() {
        fair.end(pointer, AttemptEnd::Ill);
    }
    // The attempts that replace them fill only their own share.
    start_all(&mut fair, at);
    for number in 0..1000 {
        let good = pointer_of(GOOD, 0, number);
        fair.put(good, at);
        assert_eq!(fair.start(at), Some(good), "the next to start");
        fair.end(&good, AttemptEnd::OurFault);
    }
}

#[tokio::test]
async fn app_starts_immediately_while_several_others_use_up_their_shares() {
    let limits = Limits::default();
    let mut fair = Order::new(limits);
    let at = NOW;
    for app in 10..20 {
        for origin in 0..2_000 {
            fair.put(pointer_of(app, origin, 0), at);
        }
    }
    let held = start_all(&mut fair, at);
    assert!(held.len() < limits.unproven, "some is reserved");
    for number in 0..1000 {
        let good = pointer_of(GOOD, 0, number);
        fair.put(good, at);
        assert_eq!(fair.start(at), Some(good), "the next to start");
        fair.end(&good, AttemptEnd::Well);
    }
}

#[tokio::test]
async fn new_receiver_does_not_wait_for_the_backlog_of_a_well_one() {
    let mut fair = Order::new(Limits::default());
    let at = NOW;
    for number in 0..10_000 {
        fair.put(pointer_of(GOOD, 0, number), at);
    }
    for _ in 0..100 {
        let pointer = fair.start(at).unwrap();
        fair.end(&pointer, AttemptEnd::Well);
    }
    let new = pointer_of(GOOD, 1, 0);
    fair.put(new, at);
    let next: Vec<_> = (0..2).filter_map(|_| fair.start(at)).collect();
    assert!(next.contains(&new));
}

/// The receiver turns out healthy while its second attempt has a turn among unproven ones.
#[test]
fn app_that_is_done_keeps_no_turn() {
    let mut order = Order::new(Limits::default());
    let [first, second, earlier] = [0, 1, 2].map(|number| pointer_of(GOOD, 0, number));
    order.put(earlier, NOW);
    assert_eq!(order.start(NOW), Some(earlier));
    order.put(first, NOW);
    assert_eq!(order.start(NOW), Some(first));
    order.end(&earlier, AttemptEnd::OurFault);
    order.put(second, NOW);
    order.end(&first, AttemptEnd::Well);
    assert_eq!(order.start(NOW), Some(second));
    order.end(&second, AttemptEnd::Well);
    for number in 0..2 {
        let other = pointer_of(BAD, 0, number);
        order.put(other, NOW);
        assert_eq!(order.start(NOW), Some(other));
    }
}

/// Each freed slot goes to the app with the fewest attempts in flight.
#[tokio::test]
async fn free_place_goes_to_the_app_with_the_fewest_attempts() {
    let mut fair = Order::new(Limits {
        under_way: 8,
        lane_under_way: 8,
        unproven: 8,
        lane_unproven: 8,
        ..Limits::default()
    });
    let at = NOW;
    for origin in 0..100 {
        fair.put(pointer_of(BAD, origin, 0), at);
    }
    let mut held = start_all(&mut fair, at);
    for number in 0..50 {
        let good = pointer_of(GOOD, 0, number);
        fair.put(good, at);
        let started = fair.start(at);
        let started = started.unwrap_or_else(|| {
            let ended = held.pop().unwrap();
            fair.end(&ended, AttemptEnd::Ill);
            fair.start(at).unwrap()
        });
        assert_eq!(started, good, "delivery {number}");
        fair.end(&good, AttemptEnd::Well);
    }
}

/// One app fills the queue with webhooks to receivers that hang.
#[tokio::test(start_paused = true)]
async fn flood_of_one_app_delays_no_webhook_of_another() {
    let host = Host::new(Limits::default());
    let (sent, mut served) = mpsc::unbounded_channel();
    let running = tokio::spawn({
        let host = host.clone();
        async move {
            host.run(move |pointer| {
                let sent = sent.clone();
                async move {
                    if pointer.group.lane() == group_of(GOOD, 0).lane() {
                        let _ = sent.send(Instant::now());
                        AttemptEnd::Well
                    } else {
                        tokio::time::sleep(10 * SECOND).await; // sleep: a receiver that hangs
                        AttemptEnd::Ill
                    }
                }
            })
            .await;
        }
    });
    for number in 0..120_000 {
        let origin = u16::try_from(number % 50_000).unwrap();
        host.enqueue(pointer_of(BAD, origin, number), Duration::ZERO)
            .await;
    }
    for number in 0..200 {
        let began = Instant::now();
        let good = pointer_of(GOOD, 0, number);
        let enqueued = host.enqueue(good, Duration::ZERO).await;
        assert_eq!(enqueued, Enqueued::Waiting);
        let at = soon(served.recv()).await.unwrap();
        assert_eq!(at - began, Duration::ZERO, "on the paused clock");
    }
    running.abort();
}
