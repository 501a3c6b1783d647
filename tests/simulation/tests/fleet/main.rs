//! Simulates the dispatchers on AWS on a virtual clock: one receiver is down with 360,000 pending webhooks, and
//! webhooks to others must not take longer than usual.
//!
//! The use cases and the dispatchers' record of slow receivers are real; the store is the model. The queues
//! hand messages out in order of arrival regardless of their groups, like the emulator's queues. AWS does
//! better.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

#[path = "../parts/virtual_time.rs"]
mod virtual_time;
mod world;

use std::time::Duration;

use world::{BUSY_ANSWER, Waits, World};

const BACKLOG: u32 = 360_000;

/// Serves healthy receivers for five minutes; one of them belongs to the app whose other receiver
/// is down.
async fn run(backlog: u32) -> (World, Waits) {
    let world = World::new();
    world.owe(backlog).await;
    world.start();
    let waits = world.serve(Duration::from_mins(5)).await;
    (world, waits)
}

#[tokio::test(start_paused = true)]
async fn receiver_that_is_down_delays_only_its_own_webhooks() {
    let (_, ordinary) = run(0).await;
    let (world, beside) = run(BACKLOG).await;
    println!(
        "ordinary {ordinary:?}, beside {beside:?}, {:?}",
        world.counted()
    );
    assert!(beside.sent <= ordinary.sent * 2, "{beside:?} {ordinary:?}");
    assert!(beside.lost <= ordinary.lost * 2, "{beside:?} {ordinary:?}");
    let counted = world.counted();
    assert_eq!(
        counted.doubled, 0,
        "the sweep enqueued nothing that still waited"
    );
    assert!(counted.requests_to_down < 200, "{counted:?}");
    assert_eq!(world.owed_by_down(), BACKLOG as usize);
}

#[tokio::test(start_paused = true)]
async fn receiver_that_is_back_gets_its_pending_webhooks() {
    const OWED: u32 = 20_000;
    let world = World::new();
    world.owe(OWED).await;
    world.start();
    tokio::time::sleep(Duration::from_mins(30)).await; // sleep: virtual; the time for which the receiver is down
    assert_eq!(world.owed_by_down(), OWED as usize);
    world.heal();
    // The last deliveries that were postponed come after ten to twelve minutes, and a dispatcher probes
    // the receiver every five.
    tokio::time::sleep(Duration::from_mins(20)).await; // sleep: virtual
    assert_eq!(world.owed_by_down(), 0);
}

/// A dispatcher waits for a hanging receiver until it has recorded that the receiver is slow.
#[tokio::test(start_paused = true)]
async fn receiver_that_goes_down_delays_others_once() {
    let world = World::new();
    world.start();
    world.load_on_down(Duration::from_mins(3));
    let waits = world.serve(Duration::from_mins(3)).await;
    assert!(waits.sent <= Duration::from_secs(11), "{waits:?}");
    assert!(waits.late <= 11, "{waits:?}");
}

/// `docs/scale.md` states how many dispatchers each rate needs.
#[tokio::test(start_paused = true)]
async fn first_attempts_of_a_thousand_apps_hardly_wait_at_any_rate() {
    for (rate, dispatchers) in [(100, 4), (1_000, 30), (10_000, 250)] {
        let world = World::new();
        world.start_with(dispatchers);
        let waits = world.load(rate).await;
        let at = |percent: usize| waits[waits.len() * percent / 100 - 1].as_millis();
        println!(
            "{rate} a second, {dispatchers} dispatchers: p50 {} ms, p99 {} ms",
            at(50),
            at(99)
        );
        assert!(at(99) < BUSY_ANSWER.as_millis(), "{rate} a second");
    }
}
