use std::time::Duration;

use countersign_domain::delivery::{DeliveryKind, DeliveryLane, Settlement};
use countersign_domain::primitives::time::Timestamp;

use super::for_both_kinds;
use super::steps::{Store, begun, claim, complete, due, owing_nothing, pending, settle};
use crate::check::{Checked, equal};
use crate::samples::{MILLI, NOW, app_id, before};
use crate::stores::Stores;
use crate::suite::Case;

pub(super) const CASES: &[Case<Stores>] = for_both_kinds![
    "due: delivery is listed from its due time on, to the millisecond" => from_due_time,
    "due: only owed deliveries are listed" => owed_only,
    "due: deliveries are listed longest due first, up to the limit" => ordered,
    "due: lanes are separate, however much is due in another" => lanes_apart,
    "due: retry moves the entry" => retry_moves,
    "due: ended delivery is removed" => ended_is_removed,
];

pub(super) const MIXED_CASES: &[Case<Stores>] = &[Case {
    name: "due: confirmations and logins of one app are in separate lanes",
    run: |stores| Box::pin(kinds_apart(stores)),
}];

/// Returns the time when the sweep first looks after a delivery owed since [`NOW`].
fn first() -> Timestamp {
    NOW.plus(Duration::from_mins(1))
}

async fn from_due_time(store: Store, kind: DeliveryKind) -> Checked {
    due(&store, first(), &[]).await?;
    let item = pending(&store, kind, 1).await?;
    due(&store, before(first(), MILLI), &[]).await?;
    due(&store, first(), &[item.due_at(first())]).await?;
    let later = NOW.plus(Duration::from_hours(24));
    due(&store, later, &[item.due_at(first())]).await
}

async fn owed_only(store: Store, kind: DeliveryKind) -> Checked {
    owing_nothing(&store, kind).await?;
    due(&store, NOW.plus(Duration::from_hours(23)), &[]).await
}

async fn ordered(store: Store, kind: DeliveryKind) -> Checked {
    // Ordered neither by id nor by the decimal digits of the due time.
    let mut expected = Vec::new();
    for (n, secs) in [(9, 4), (2, 100), (7, 20), (4, 3), (200, 90), (5, 0)] {
        let at = NOW.plus(Duration::from_secs(secs));
        let item = complete(&store, &begun(&store, kind, n, "demo").await?, at).await?;
        expected.push(item.due_at(at.plus(Duration::from_mins(1))));
    }
    expected.sort();
    let late = NOW.plus(Duration::from_hours(1));
    due(&store, late, &expected).await?;
    let demo = expected[0].lane;
    for limit in 0..=6 {
        let found = store.deliveries.due(demo, late, None, limit).await?;
        equal("up to the limit", found.as_slice(), &expected[..limit])?;
    }
    for (place, seen) in expected.iter().enumerate() {
        let found = store.deliveries.due(demo, late, Some(*seen), 3).await?;
        let rest = &expected[place + 1..];
        equal("after", found.as_slice(), &rest[..rest.len().min(3)])?;
    }
    let some = NOW.plus(Duration::from_secs(80));
    due(&store, some, &expected[..4]).await
}

/// One app has a hundred deliveries long due; two others have one each, due last.
async fn lanes_apart(store: Store, kind: DeliveryKind) -> Checked {
    let late = NOW.plus(Duration::from_hours(1));
    let mut expected = Vec::new();
    for n in 0..102 {
        let (app, secs) = match n {
            100 => ("second", 100),
            101 => ("third", 101),
            _ => ("demo", 0),
        };
        let at = NOW.plus(Duration::from_secs(secs));
        let item = complete(&store, &begun(&store, kind, n, app).await?, at).await?;
        expected.push(item.due_at(at.plus(Duration::from_mins(1))));
    }
    due(&store, late, &expected).await?;
    let mut lanes = store.deliveries.due_lanes(late).await?;
    lanes.sort();
    let mut all = vec![expected[0].lane, expected[100].lane, expected[101].lane];
    all.sort();
    equal("lanes", lanes, all)?;
    for quiet in [100, 101] {
        let of = expected[quiet].lane;
        let found = store.deliveries.due(of, late, None, 10).await?;
        equal("of a quiet app", found.as_slice(), &expected[quiet..=quiet])?;
    }
    let only_first = store.deliveries.due_lanes(first()).await?;
    equal(
        "lanes with due deliveries",
        only_first,
        vec![expected[0].lane],
    )?;
    let early = store.deliveries.due_lanes(before(first(), MILLI)).await?;
    equal("lanes before", early, vec![])
}

async fn retry_moves(store: Store, kind: DeliveryKind) -> Checked {
    let item = claim(&store, &pending(&store, kind, 1).await?, NOW).await?;
    let (at, due_at) = (
        NOW.plus(Duration::from_hours(3)),
        NOW.plus(Duration::from_hours(4)),
    );
    let item = settle(&store, &item, 500, Settlement::Retry { at, due_at }, NOW).await?;
    due(&store, before(due_at, MILLI), &[]).await?;
    due(&store, due_at, &[item.due_at(due_at)]).await?;
    // To an earlier time, too.
    let item = claim(&store, &item, at).await?;
    let sooner = at.plus(Duration::from_secs(1));
    let settlement = Settlement::Retry {
        at: sooner,
        due_at: sooner,
    };
    let item = settle(&store, &item, 500, settlement, at).await?;
    due(&store, sooner, &[item.due_at(sooner)]).await?;
    due(&store, due_at, &[item.due_at(sooner)]).await
}

async fn ended_is_removed(store: Store, kind: DeliveryKind) -> Checked {
    let other = pending(&store, kind, 9).await?.due_at(first());
    for (n, settlement) in [(1, Settlement::Delivered), (2, Settlement::Failed)] {
        let item = pending(&store, kind, n).await?;
        due(&store, first(), &[item.due_at(first()), other]).await?;
        let item = claim(&store, &item, NOW).await?;
        settle(&store, &item, 200, settlement, NOW).await?;
        due(&store, first(), &[other]).await?;
    }
    Ok(())
}

async fn kinds_apart(store: Store) -> Checked {
    let mut expected = Vec::new();
    for kind in DeliveryKind::ALL {
        let lane = DeliveryLane::of(kind, &app_id("demo"));
        let empty = store.deliveries.due(lane, first(), None, 9).await?;
        equal("before", empty, vec![])?;
        let item = pending(&store, kind, 1).await?;
        equal("lane", item.lane(), lane)?;
        expected.push(item.due_at(first()));
        due(&store, first(), &expected).await?;
    }
    let mut lanes = store.deliveries.due_lanes(first()).await?;
    lanes.sort();
    let mut both = vec![expected[0].lane, expected[1].lane];
    both.sort();
    equal("lanes", lanes, both)?;
    for entry in expected {
        let found = store.deliveries.due(entry.lane, first(), None, 9).await?;
        equal("of one kind", found, vec![entry])?;
    }
    Ok(())
}
