use std::time::Duration;

use countersign_domain::delivery::store::Due;
use countersign_domain::delivery::{
    DeliveryKind, DeliveryLane, PostponeOutcome, Progress, Settlement,
};
use countersign_domain::primitives::time::Timestamp;

use super::for_both_kinds;
use super::item::Item;
use super::steps::{Got, Store, claim, due, owing_nothing, pending, settle, stored, unknown};
use crate::check::{Checked, equal};
use crate::samples::{MILLI, NOW, app_id, before};
use crate::stores::Stores;
use crate::suite::Case;

pub(super) const CASES: &[Case<Stores>] = for_both_kinds![
    "postpone: entry that was seen is moved" => moves,
    "postpone: refused if the entry has changed" => changed_entry,
    "postpone: only owed deliveries can be postponed" => owed_only,
    "postpone: attempt under way can still be settled" => under_way,
];

/// Returns the time when the sweep first looks after a delivery owed since [`NOW`].
fn first() -> Timestamp {
    NOW.plus(Duration::from_mins(1))
}

/// Postpones a delivery, checks the stored item, and returns it.
async fn postpone(store: &Store, item: &Item, seen: Timestamp, at: Timestamp) -> Got {
    let expected = item.with_delivery(|delivery| {
        if let Progress::Pending { due_at, .. } = &mut delivery.progress {
            *due_at = at.plus(Duration::from_mins(1));
        }
    });
    let outcome = store.deliveries.postpone(item.due_at(seen), at).await?;
    let pointer = item.pointer_to(item.claims())?;
    equal("postpone", outcome, PostponeOutcome::Postponed(pointer))?;
    stored(store, &expected, at).await?;
    Ok(expected)
}

async fn refuses(store: &Store, due: Due) -> Checked {
    let outcome = store.deliveries.postpone(due, first()).await?;
    equal("postpone", outcome, PostponeOutcome::Superseded)
}

async fn moves(store: Store, kind: DeliveryKind) -> Checked {
    let item = pending(&store, kind, 1).await?;
    let at = first().plus(Duration::from_secs(5));
    let item = postpone(&store, &item, first(), at).await?;
    let second = at.plus(Duration::from_mins(1));
    due(&store, before(second, MILLI), &[]).await?;
    due(&store, second, &[item.due_at(second)]).await?;
    let item = postpone(&store, &item, second, second).await?;
    claim(&store, &item, second).await?;
    Ok(())
}

async fn changed_entry(store: Store, kind: DeliveryKind) -> Checked {
    let item = pending(&store, kind, 1).await?;
    for wrong in [before(first(), MILLI), first().plus(MILLI), NOW] {
        refuses(&store, item.due_at(wrong)).await?;
    }
    stored(&store, &item, NOW).await?;
    let at = first().plus(MILLI);
    let item = postpone(&store, &item, first(), at).await?;
    refuses(&store, item.due_at(first())).await?;
    stored(&store, &item, NOW).await?;
    due(&store, first(), &[]).await
}

async fn owed_only(store: Store, kind: DeliveryKind) -> Checked {
    for item in owing_nothing(&store, kind).await? {
        refuses(&store, item.due_at(first())).await?;
        stored(&store, &item, NOW).await?;
    }
    let entry = Due {
        due_at: first(),
        subject: unknown(kind),
        lane: DeliveryLane::of(kind, &app_id("demo")),
    };
    refuses(&store, entry).await?;
    due(&store, NOW.plus(Duration::from_hours(1)), &[]).await
}

async fn under_way(store: Store, kind: DeliveryKind) -> Checked {
    let item = pending(&store, kind, 1).await?;
    let item = claim(&store, &item, first()).await?;
    let item = postpone(&store, &item, first(), first()).await?;
    let item = settle(&store, &item, 200, Settlement::Delivered, first()).await?;
    stored(&store, &item, first()).await
}
