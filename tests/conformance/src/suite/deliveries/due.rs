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
    "due: what is owed, from its instant on, to the millisecond" => from_its_instant,
    "due: nothing but what is owed" => owed_only,
    "due: the longest due first, at most so many" => ordered,
    "due: each lane by itself, however much is due of another" => by_lane,
    "due: a retry moves it" => retry_moves,
    "due: what has ended leaves it" => leaves,
];

pub(super) const MIXED_CASES: &[Case<Stores>] = &[Case {
    name: "due: an app's confirmations and logins are in lanes of their own",
    run: |stores| Box::pin(kinds_apart(stores)),
}];

/// When the sweep first looks after what became owed at [`NOW`].
fn first() -> Timestamp {
    NOW.plus(Duration::from_mins(1))
}

async fn from_its_instant(store: Store, kind: DeliveryKind) -> Checked {
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
    // In another order than that of their ids, and of the digits of their instants.
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
        equal("so many", found.as_slice(), &expected[..limit])?;
    }
    for (place, seen) in expected.iter().enumerate() {
        let found = store.deliveries.due(demo, late, Some(*seen), 3).await?;
        let rest = &expected[place + 1..];
        equal("after", found.as_slice(), &rest[..rest.len().min(3)])?;
    }
    let some = NOW.plus(Duration::from_secs(80));
    due(&store, some, &expected[..4]).await
}

/// Of one app a hundred are long due; of two others one each, due last.
async fn by_lane(store: Store, kind: DeliveryKind) -> Checked {
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
    equal("lanes of what is due", only_first, vec![expected[0].lane])?;
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
    // Backwards too.
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

async fn leaves(store: Store, kind: DeliveryKind) -> Checked {
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
