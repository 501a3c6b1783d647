use std::time::Duration;

use countersign_conformance::failing::Access;
use countersign_conformance::samples;
use countersign_domain::delivery::DeliverySubject;
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::primitives::time::Clock as _;
use countersign_domain::store::Key;
use countersign_domain::use_cases::sweep;
use countersign_domain::use_cases::sweep::{Occasion, Swept};
use countersign_domain::web::callback_url::CallbackUrl;

use crate::world::{World, now_or_never};

/// Sweeps while some items cannot be postponed.
fn sweep_with(world: &World, stuck: Vec<ConfirmationId>, limit: usize) -> Swept {
    let stuck: Vec<Key> = stuck.into_iter().map(Key::from).collect();
    let fails =
        move |access: Access<'_>| matches!(access, Access::Write(key) if stuck.contains(key));
    world.items.fail(fails);
    let swept = now_or_never(sweep::sweep_all(world.ports(), limit, Occasion::Minute));
    world.items.fail(|_| false);
    swept
}

fn sweep_at_most(world: &World, limit: usize) -> usize {
    sweep_upon(world, limit, Occasion::Minute)
}

fn sweep_upon(world: &World, limit: usize, occasion: Occasion) -> usize {
    let swept = now_or_never(sweep::sweep(world.ports(), limit, occasion));
    assert!(swept.failure.is_none(), "{swept:?}");
    swept.found
}

/// Starts deliveries that are due and whose pointers are lost.
fn owed(world: &World, count: usize) -> Vec<ConfirmationId> {
    owed_by(world, "demo", count)
}

fn owed_by(world: &World, app: &str, count: usize) -> Vec<ConfirmationId> {
    let first = world.confirmations().len();
    let ids = (first..first + count).map(|n| {
        let mut open = samples::acquisition(0);
        let mut id = [0; 16];
        id[..8].copy_from_slice(&(n as u64).to_be_bytes());
        open.id = ConfirmationId::from_bytes(id);
        open.app = samples::app_id(app);
        let item = samples::verified(&open, &samples::text(1), world.now());
        world.items.items.put(item.id, item);
        world.pass(Duration::from_millis(1));
        open.id
    });
    let ids = ids.collect();
    world.pass(Duration::from_mins(2));
    ids
}

#[test]
fn stuck_item_delays_no_others() {
    let world = World::new();
    let ids = owed(&world, 3);
    let swept = sweep_with(&world, vec![ids[0]], 1000);
    assert!(swept.failure.is_some(), "the failure is reported");
    assert_eq!(swept.found, 2);
    let mut found = Vec::new();
    while let Some(pointer) = world.next_pointer() {
        found.push(pointer.subject);
    }
    let others: Vec<_> = ids[1..].iter().map(|id| (*id).into()).collect();
    assert_eq!(found, others);
    assert_eq!(world.sweep().unwrap(), 1, "as soon as it can be postponed");
}

/// Every sweep that left something is followed by another, however much is due.
#[test]
fn stuck_item_does_not_end_the_sweeps_of_a_minute() {
    let world = World::new();
    let ids = owed(&world, 1000);
    let swept = sweep_with(&world, vec![ids[0]], 100);
    assert!(swept.failure.is_some(), "the failure is reported");
    assert_eq!(swept.found, 999);
    assert_eq!(pointers(&world).len(), 999);
}

#[test]
fn failing_store_is_not_called_for_each_item() {
    let world = World::new();
    let ids = owed(&world, 250);
    let swept = sweep_with(&world, ids[..200].to_vec(), 1000);
    assert!(swept.failure.is_some());
    assert_eq!(world.count("swept"), 0);
}

#[test]
fn stuck_items_of_one_app_delay_no_other_app() {
    let world = World::new();
    let stuck = owed(&world, 250);
    let other = owed_by(&world, "other", 1)[0];
    let swept = sweep_with(&world, stuck, 1000);
    assert!(swept.failure.is_some(), "the failure is reported");
    assert_eq!(world.next_pointer().unwrap().subject, other.into());
}

#[test]
fn large_backlog_of_one_app_delays_no_other_app() {
    let world = World::new();
    owed(&world, 1000);
    let others = owed_by(&world, "other", 3);
    let swept = sweep_at_most(&world, 200);
    assert_eq!(swept, 200);
    let found = pointers(&world);
    for id in others {
        assert!(found.contains(&id.into()));
    }
}

#[test]
fn app_without_room_delays_no_other_and_is_not_written() {
    let world = World::new();
    let ids = owed(&world, 5);
    let other = owed_by(&world, "other", 1)[0];
    let before = world.confirmations();
    let lane = before.iter().find(|item| item.id == ids[0]).unwrap().lane();
    *world.queue.full.lock().unwrap() = Some(lane);
    assert_eq!(world.sweep().unwrap(), 1);
    assert_eq!(pointers(&world), [other.into()]);
    let mut after = world.confirmations();
    after.retain(|item| item.id != other);
    assert!(after.iter().all(|item| before.contains(item)));
    *world.queue.full.lock().unwrap() = None;
    assert_eq!(world.sweep().unwrap(), 5, "as soon as there is room");
}

/// One customer of an app does not answer and has filled the app's share of the queue. The pointer
/// of another customer's webhook is lost.
#[test]
fn backlog_of_a_dead_receiver_does_not_delay_the_apps_others() {
    let world = World::new();
    let dead = owed(&world, 2_500);
    let before = world.confirmations();
    let group = before.iter().find(|item| item.id == dead[0]).unwrap();
    let mut open = samples::acquisition(0);
    open.id = ConfirmationId::from_bytes([9; 16]);
    open.callback = CallbackUrl::from_stored("https://other.example.com/hook").unwrap();
    let other = samples::verified(&open, &samples::text(1), world.now());
    assert_eq!(other.lane(), group.lane());
    world.items.items.put(other.id, other);
    *world.queue.refuses.lock().unwrap() = Some(group.group());
    world.pass(Duration::from_mins(2));
    let unwritten = || {
        let items = world.confirmations();
        items.iter().filter(|item| before.contains(item)).count()
    };
    assert_eq!(sweep_upon(&world, 10_000, Occasion::Room), 0);
    assert_eq!(unwritten(), 2_500, "a refill only fills the room");
    for minute in 1..=2 {
        assert_eq!(sweep_upon(&world, 10_000, Occasion::Minute), 0);
        assert_eq!(2_500 - unwritten(), 1_000 * minute, "a bounded piece");
    }
    assert_eq!(sweep_upon(&world, 10_000, Occasion::Minute), 1);
    assert_eq!(pointers(&world), [open.id.into()]);
}

#[test]
fn queued_deliveries_are_not_written_again() {
    let world = World::new();
    owed(&world, 3);
    assert_eq!(world.sweep().unwrap(), 3);
    world.pass(Duration::from_mins(2));
    let before = world.confirmations();
    assert_eq!(world.sweep().unwrap(), 0);
    assert_eq!(world.confirmations(), before);
    assert_eq!(pointers(&world).len(), 3);
}

fn pointers(world: &World) -> Vec<DeliverySubject> {
    std::iter::from_fn(|| world.next_pointer())
        .map(|pointer| pointer.subject)
        .collect()
}
