//! Simulates several tenants with one queue on a virtual clock: one of them has 300,000 due
//! deliveries to a dead receiver, and the webhooks of the others must not take longer than usual.
//!
//! The use cases, the process's queue and the dispatcher's loop are real; the store is the model. Time is
//! tokio's paused clock, which only advances while every task waits.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

#[path = "../parts/virtual_time.rs"]
mod virtual_time;
mod world;

use std::time::Duration;

use world::{Longest, World};

const BACKLOG: u32 = 300_000;
const HEALTHY: u32 = 20;
const MINUTES: u32 = 10;

/// Runs the healthy tenants next to a dead one with a backlog.
async fn run(backlog: u32) -> (World, Longest) {
    let world = World::new();
    world.owe_all("dead", backlog).await;
    world.start();
    let waits = world.serve(HEALTHY, MINUTES).await;
    (world, waits)
}

#[tokio::test(start_paused = true)]
async fn backlog_of_a_dead_receiver_does_not_delay_other_tenants() {
    let (_, ordinary) = run(0).await;
    let (world, beside) = run(BACKLOG).await;
    assert!(beside.sent <= ordinary.sent * 2, "{beside:?} {ordinary:?}");
    assert!(beside.lost <= ordinary.lost * 2, "{beside:?}");
    // No pending webhook is lost: each delivery either is still pending or was given up according
    // to its schedule.
    assert_eq!(world.owed_or_ended("dead"), BACKLOG as usize);
}

#[tokio::test(start_paused = true)]
async fn backlog_drains_once_the_receiver_is_back() {
    const OWED: u32 = 80_000;
    let world = World::new();
    world.owe_all("dead", OWED).await;
    world.start();
    tokio::time::sleep(Duration::from_mins(5)).await; // sleep: virtual; the time for which the receiver is dead
    world.heal();
    assert!(world.untried("dead") > OWED as usize / 2);
    // Untried deliveries are sent at the receiver's own speed, although memory has no room for all
    // receivers.
    tokio::time::sleep(Duration::from_mins(2)).await; // sleep: virtual
    assert_eq!(world.untried("dead"), 0);
}
