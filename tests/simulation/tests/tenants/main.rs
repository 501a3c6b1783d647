//! Tenants beside each other, on a virtual clock: one of them has 300,000 due deliveries to a dead
//! receiver, and the webhooks of the others take their ordinary time.
//!
//! Real are the use cases, the queue of the process and its dispatcher's loop; the store is the
//! model. Time is tokio's, paused: it passes only while everybody waits.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod world;

use std::time::Duration;

use countersign_embedded::queue::{Limits, LocalQueue};

use world::{Fairness, World};

const BACKLOG: u32 = 300_000;
/// Enough to show what a queue without fairness does.
const FEWER: u32 = 20_000;
const HEALTHY: u32 = 20;
const MINUTES: u32 = 10;

/// The longest that a healthy tenant waited: for a webhook whose pointer went into the queue, and
/// for one whose pointer was lost.
#[derive(Debug)]
struct Waits {
    sent: Duration,
    lost: Duration,
}

/// Runs the healthy tenants, beside a dead one with a backlog.
async fn run(backlog: u32, fairness: Fairness) -> (World, Waits) {
    let world = World::new(LocalQueue::new(Limits::default()), fairness);
    world.owe_all("dead", backlog).await;
    world.start();
    let waits = world.serve(HEALTHY, MINUTES).await;
    let waits = Waits {
        sent: waits.sent,
        lost: waits.lost,
    };
    (world, waits)
}

#[tokio::test(start_paused = true)]
async fn a_dead_receivers_backlog_costs_the_other_tenants_nothing() {
    let (_, ordinary) = run(0, Fairness::ByLane).await;
    let (world, beside) = run(BACKLOG, Fairness::ByLane).await;
    println!("ordinary {ordinary:?}, beside {BACKLOG} due {beside:?}");
    assert!(beside.sent <= ordinary.sent * 2, "{beside:?}");
    assert!(beside.lost <= ordinary.lost * 2, "{beside:?}");
    // Nothing owed is lost: each is still pending, or was given up by its own schedule.
    assert_eq!(world.owed_or_ended("dead"), BACKLOG as usize);
}

#[tokio::test(start_paused = true)]
async fn the_backlog_drains_once_the_receiver_is_back() {
    const OWED: u32 = 80_000;
    let world = World::new(LocalQueue::new(Limits::default()), Fairness::ByLane);
    world.owe_all("dead", OWED).await;
    world.start();
    tokio::time::sleep(Duration::from_mins(5)).await; // sleep: virtual; the receiver is dead for so long
    world.heal();
    assert!(world.untried("dead") > OWED as usize / 2);
    // What was never tried goes out at the receiver's own speed: one sweep a minute would take
    // five minutes.
    tokio::time::sleep(Duration::from_mins(2)).await; // sleep: virtual
    assert_eq!(world.untried("dead"), 0);
}

/// The simulation bites: a queue that is fair between receivers alone, as it once was, is caught.
#[tokio::test(start_paused = true)]
async fn a_queue_that_does_not_know_tenants_is_caught() {
    let (_, ordinary) = run(0, Fairness::ByReceiverAlone).await;
    let (_, beside) = run(FEWER, Fairness::ByReceiverAlone).await;
    println!("ordinary {ordinary:?}, beside {FEWER} due {beside:?}");
    assert!(beside.sent > ordinary.sent * 2, "{beside:?}");
}
