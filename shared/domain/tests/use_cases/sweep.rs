use std::time::Duration;

use countersign_conformance::failing::Access;
use countersign_conformance::samples;
use countersign_domain::delivery::DeliverySubject;
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::primitives::time::Clock as _;
use countersign_domain::store::Key;
use countersign_domain::use_cases::sweep;
use countersign_domain::use_cases::sweep::Swept;

use crate::world::{World, now_or_never};

/// Sweeps while some items cannot be postponed.
fn sweep_with(world: &World, stuck: Vec<ConfirmationId>, limit: usize) -> Swept {
    let stuck: Vec<Key> = stuck.into_iter().map(Key::from).collect();
    let fails =
        move |access: Access<'_>| matches!(access, Access::Write(key) if stuck.contains(key));
    world.items.fail(fails);
    let swept = now_or_never(sweep::sweep(world.ports(), &*world.items, limit));
    world.items.fail(|_| false);
    swept
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
    let longest = swept.longest_due.unwrap();
    assert!(longest > Duration::from_secs(30) && longest < Duration::from_mins(2));
    let mut found = Vec::new();
    while let Some(pointer) = world.next_pointer() {
        found.push(pointer.subject);
    }
    let others: Vec<_> = ids[1..].iter().map(|id| (*id).into()).collect();
    assert_eq!(found, others);
    assert_eq!(world.sweep().unwrap(), 1, "as soon as it can be postponed");
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
    assert_eq!(sweep_with(&world, Vec::new(), 200).found, 200);
    let found = pointers(&world);
    for id in others {
        assert!(found.contains(&id.into()));
    }
}

fn pointers(world: &World) -> Vec<DeliverySubject> {
    std::iter::from_fn(|| world.next_pointer())
        .map(|pointer| pointer.subject)
        .collect()
}
