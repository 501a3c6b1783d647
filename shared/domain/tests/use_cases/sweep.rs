use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use countersign_conformance::failing::Access;
use countersign_conformance::samples;
use countersign_domain::delivery::DeliverySubject;
use countersign_domain::delivery::due::DuePartition;
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::store::Key;
use countersign_domain::use_cases::sweep::{SweepCursors, SweepLimit, SweepReport, sweep};

use crate::world::{World, now_or_never};

/// Sweeps from these positions, while some items cannot be postponed.
fn sweep_with(
    world: &World,
    places: &mut SweepCursors,
    stuck: &[ConfirmationId],
    limit: usize,
) -> SweepReport {
    let stuck: Vec<Key> = stuck.iter().copied().map(Key::from).collect();
    let fails =
        move |access: Access<'_>| matches!(access, Access::Write(key) if stuck.contains(key));
    world.items.fail(fails);
    let swept = world.sweep_on(places, limit);
    world.items.fail(|_| false);
    swept
}

/// Starts due deliveries whose pointers are lost.
fn pending(world: &World, count: usize) -> Vec<ConfirmationId> {
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
    let ids = pending(&world, 3);
    let swept = sweep_with(&world, &mut SweepCursors::default(), &ids[..1], 1000);
    assert!(swept.failure.is_some(), "the failure is reported");
    assert_eq!(swept.found, 2);
    let longest = swept.longest_due.unwrap();
    assert!(longest > Duration::from_secs(30) && longest < Duration::from_mins(2));
    let others: Vec<_> = ids[1..].iter().map(|id| (*id).into()).collect();
    assert_eq!(pointers(&world), others);
    assert_eq!(world.sweep().unwrap(), 1, "as soon as it can be postponed");
}

/// Otherwise, items from a newer release or a corrupt item would make each sweep fail and page
/// someone.
#[test]
fn damaged_item_is_counted_and_is_no_failure() {
    let world = World::new();
    let ids = pending(&world, 300);
    world
        .items
        .damage(ids[..200].iter().copied().map(Key::from));
    let swept = world.sweep_on(&mut SweepCursors::default(), 1000);
    assert!(swept.failure.is_none());
    assert_eq!((swept.found, swept.damaged), (100, 200));
    world.pass(Duration::from_hours(1));
    let longest = sweep_with(&world, &mut SweepCursors::default(), &[], 1000).longest_due;
    assert!(longest < Some(Duration::from_hours(1)), "{longest:?}");
}

#[test]
fn failing_store_is_not_called_for_each_item_and_those_behind_are_next() {
    let world = World::new();
    let ids = pending(&world, 250);
    let mut places = SweepCursors::default();
    let mut found = Vec::new();
    for _ in 0..3 {
        let swept = sweep_with(&world, &mut places, &ids[..200], 1000);
        found.push((swept.found, swept.failure.is_some()));
    }
    assert_eq!(found, [(0, true), (0, true), (50, false)]);
}

#[test]
fn stuck_items_of_one_app_delay_another_app_by_a_sweep() {
    let world = World::new();
    let stuck = pending(&world, 250);
    world.pass(Duration::from_mins(5));
    let other = owed_by(&world, "other", 1)[0];
    let mut places = SweepCursors::default();
    for _ in 0..2 {
        let swept = sweep_with(&world, &mut places, &stuck, 1000);
        assert!(swept.failure.is_some(), "the failure is reported");
    }
    assert_eq!(world.next_pointer().unwrap().subject, other.into());
}

#[test]
fn part_that_cannot_be_read_delays_no_other_part() {
    let world = World::new();
    pending(&world, 1);
    for (failing, found) in [(DuePartition(1), 1), (DuePartition(0), 0)] {
        let fails =
            move |access: Access<'_>| matches!(access, Access::Due(part, _) if part == failing);
        world.items.fail(fails);
        let swept = world.sweep_on(&mut SweepCursors::default(), 1000);
        assert!(swept.failure.is_some(), "the failure is reported");
        assert_eq!(swept.found, found);
    }
}

#[test]
fn large_backlog_of_one_app_delays_another_app_by_a_sweep() {
    let world = World::new();
    pending(&world, 10_000);
    world.pass(Duration::from_mins(5));
    let others = owed_by(&world, "other", 3);
    let mut places = SweepCursors::default();
    for _ in 0..2 {
        assert_eq!(sweep_with(&world, &mut places, &[], 200).found, 200);
    }
    let found = pointers(&world);
    for id in others {
        assert!(found.contains(&id.into()));
    }
}

/// The deliveries of the first sweep become due again, because no dispatcher takes them from the
/// queue.
#[test]
fn sweep_goes_on_where_the_last_one_stopped() {
    let world = World::new();
    let ids = pending(&world, 1000);
    let mut places = SweepCursors::default();
    for _ in 0..10 {
        assert_eq!(world.sweep_on(&mut places, 100).found, 100);
        world.pass(Duration::from_mins(2));
    }
    let found: BTreeSet<DeliverySubject> = pointers(&world).into_iter().collect();
    assert!(
        found.len() >= 500,
        "half of each sweep goes on: {}",
        found.len()
    );
    assert!(found.contains(&ids[499].into()));
}

#[test]
fn sweep_ends_in_time_and_the_next_one_goes_on() {
    let world = World::new();
    let ids = pending(&world, 1000);
    let mut places = SweepCursors::default();
    let late = SweepLimit {
        deliveries: 1000,
        until: world.now(),
    };
    world.pass(Duration::from_millis(1));
    let swept = now_or_never(sweep(world.ports(), &*world.items, &mut places, late));
    assert_eq!((swept.found, swept.failure.is_none()), (0, true));
    world.items.interrupt(
        |access| matches!(access, Access::Write(_)),
        world.passing(Duration::from_secs(41)),
    );
    let swept = now_or_never(sweep(
        world.ports(),
        &*world.items,
        &mut places,
        SweepLimit {
            until: world.now().plus(Duration::from_secs(40)),
            ..late
        },
    ));
    assert_eq!(swept.found, 100, "those that were under way");
    assert_eq!(world.sweep_on(&mut places, 1000).found, 900);
    let found: Vec<DeliverySubject> = ids.into_iter().map(DeliverySubject::from).collect();
    assert_eq!(pointers(&world), found);
}

/// A thousand apps with pending webhooks cost no more than one.
#[test]
fn sweep_reads_each_part_once_if_nothing_is_due() {
    let world = World::new();
    for n in 0..1000 {
        owed_by(&world, &format!("app{n}"), 1);
    }
    assert_eq!(world.sweep().unwrap(), 1000);
    let reads = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&reads);
    world.items.fail(move |access| {
        counted.fetch_add(1, Ordering::SeqCst);
        assert!(matches!(access, Access::Due(..)), "{access:?}");
        false
    });
    assert_eq!(world.sweep().unwrap(), 0);
    assert_eq!(reads.load(Ordering::SeqCst), 2);
}

fn pointers(world: &World) -> Vec<DeliverySubject> {
    std::iter::from_fn(|| world.next_pointer())
        .map(|pointer| pointer.subject)
        .collect()
}
