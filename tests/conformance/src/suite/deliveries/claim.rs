use std::time::Duration;

use countersign_domain::delivery::{CLAIM_LEASE, CLAIM_TOLERANCE, DeliveryKind, Settlement};

use super::for_both_kinds;
use super::item::Item;
use super::steps::{
    Store, claim, due, owing_nothing, pending, settle, stale, stored, superseded, unknown,
};
use crate::check::Checked;
use crate::samples::{MILLI, NOW, before, settled};
use crate::stores::Stores;
use crate::suite::Case;

pub(super) const CASES: &[Case<Stores>] = for_both_kinds![
    "claim: attempt that the pointer names is claimed" => named_attempt,
    "claim: any other attempt number is stale" => other_numbers,
    "claim: only owed deliveries can be claimed" => owed_only,
    "claim: another dispatcher can take over after the lease, to the millisecond" => lease,
    "claim: stale until the due time less the tolerance, to the millisecond" => in_time,
    "claim: due index is unchanged" => index_unchanged,
];

async fn named_attempt(store: Store, kind: DeliveryKind) -> Checked {
    let item = pending(&store, kind, 1).await?;
    let first = claim(&store, &item, NOW).await?;
    stored(&store, &first, NOW).await?;
    let retry = Settlement::Retry {
        at: NOW,
        due_at: NOW,
    };
    let item = settle(&store, &first, 500, retry, NOW).await?;
    let second = claim(&store, &item, NOW.plus(MILLI)).await?;
    stored(&store, &second, NOW.plus(MILLI)).await
}

async fn other_numbers(store: Store, kind: DeliveryKind) -> Checked {
    let item = pending(&store, kind, 1).await?;
    for wrong in [1, 2, u32::MAX] {
        stale(&store, item.subject(), wrong, NOW).await?;
    }
    let item = claim(&store, &item, NOW).await?;
    // Neither the claimed attempt again nor, while it is under way, a later one.
    for wrong in [0, 1, 2] {
        stale(&store, item.subject(), wrong, NOW).await?;
    }
    stored(&store, &item, NOW).await
}

async fn owed_only(store: Store, kind: DeliveryKind) -> Checked {
    let items = owing_nothing(&store, kind).await?;
    let subjects = items.iter().map(Item::subject);
    for subject in subjects.chain([unknown(kind)]) {
        for attempts in 0..3 {
            stale(&store, subject, attempts, NOW.plus(CLAIM_LEASE)).await?;
        }
    }
    for item in items {
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn lease(store: Store, kind: DeliveryKind) -> Checked {
    let item = pending(&store, kind, 1).await?;
    let first = claim(&store, &item, NOW).await?;
    let over = NOW.plus(CLAIM_LEASE);
    stale(&store, item.subject(), 1, before(over, MILLI)).await?;
    stored(&store, &first, over).await?;
    let second = claim(&store, &first, over).await?;
    stored(&store, &second, over).await?;
    // The first dispatcher settles too late, and does not affect the second.
    let late = settled(1, 200, Settlement::Delivered);
    superseded(&store, item.subject(), late, over).await?;
    stored(&store, &second, over).await?;
    let item = settle(&store, &second, 200, Settlement::Delivered, over).await?;
    stored(&store, &item, over).await
}

async fn in_time(store: Store, kind: DeliveryKind) -> Checked {
    let item = pending(&store, kind, 1).await?;
    let first = claim(&store, &item, NOW).await?;
    let at = NOW.plus(Duration::from_hours(3));
    let retry = Settlement::Retry { at, due_at: at };
    let item = settle(&store, &first, 500, retry, NOW).await?;
    let earliest = before(at, CLAIM_TOLERANCE);
    stale(&store, item.subject(), 1, before(earliest, MILLI)).await?;
    stored(&store, &item, NOW).await?;
    let second = claim(&store, &item, earliest).await?;
    stored(&store, &second, earliest).await
}

async fn index_unchanged(store: Store, kind: DeliveryKind) -> Checked {
    let item = pending(&store, kind, 1).await?;
    let due_at = NOW.plus(Duration::from_mins(1));
    let entry = item.due_at(due_at);
    due(&store, due_at, &[entry]).await?;
    claim(&store, &item, NOW.plus(MILLI)).await?;
    due(&store, before(due_at, MILLI), &[]).await?;
    due(&store, due_at, &[entry]).await
}
