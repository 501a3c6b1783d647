use std::time::Duration;

use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::store::{ConfirmationStore, Due};
use countersign_domain::delivery::{PostponeOutcome, Progress, Settlement};
use countersign_domain::primitives::time::Timestamp;

use super::Case;
use super::steps::{
    Got, Store, claim, claims, create, due, ended, pending, pointer_to, settle, stored,
};
use crate::check::{Checked, equal};
use crate::samples::{MILLI, NOW, acquisition, before, id, with_delivery};

pub(super) const CASES: &[Case<dyn ConfirmationStore>] = &[
    Case {
        name: "postpone: from the instant that was seen",
        run: |store| Box::pin(moves(store)),
    },
    Case {
        name: "postpone: not from another instant",
        run: |store| Box::pin(not_seen(store)),
    },
    Case {
        name: "postpone: nothing but what is owed",
        run: |store| Box::pin(owed_only(store)),
    },
    Case {
        name: "postpone: an attempt under way goes on",
        run: |store| Box::pin(under_way(store)),
    },
];

fn first() -> Timestamp {
    NOW.plus(Duration::from_mins(1))
}

fn entry(item: &Confirmation, due_at: Timestamp) -> Due {
    Due {
        due_at,
        confirmation: item.id,
        lane: item.lane(),
    }
}

/// Postpones; the item as it must be then.
async fn postpone(store: &Store, item: &Confirmation, seen: Timestamp, at: Timestamp) -> Got {
    let expected = with_delivery(item, |delivery| {
        if let Progress::Pending { due_at, .. } = &mut delivery.progress {
            *due_at = at.plus(Duration::from_mins(1));
        }
    });
    let outcome = store.postpone(entry(item, seen), at).await?;
    let pointer = pointer_to(item, claims(item));
    equal("postpone", outcome, PostponeOutcome::Postponed(pointer))?;
    stored(store, &expected, at).await?;
    Ok(expected)
}

async fn refuses(store: &Store, due: Due) -> Checked {
    let outcome = store.postpone(due, first()).await?;
    equal("postpone", outcome, PostponeOutcome::Superseded)
}

async fn moves(store: Store) -> Checked {
    let item = pending(&store, 1).await?;
    let at = first().plus(Duration::from_secs(5));
    let item = postpone(&store, &item, first(), at).await?;
    let second = at.plus(Duration::from_mins(1));
    due(&store, before(second, MILLI), &[]).await?;
    due(&store, second, &[entry(&item, second)]).await?;
    let item = postpone(&store, &item, second, second).await?;
    claim(&store, &item, second).await?;
    Ok(())
}

async fn not_seen(store: Store) -> Checked {
    let item = pending(&store, 1).await?;
    for wrong in [before(first(), MILLI), first().plus(MILLI), NOW] {
        refuses(&store, entry(&item, wrong)).await?;
    }
    stored(&store, &item, NOW).await?;
    let at = first().plus(MILLI);
    let item = postpone(&store, &item, first(), at).await?;
    refuses(&store, entry(&item, first())).await?;
    stored(&store, &item, NOW).await?;
    due(&store, first(), &[]).await
}

async fn owed_only(store: Store) -> Checked {
    let open = acquisition(1);
    create(&store, &open).await?;
    let delivered = ended(&store, 2, Settlement::Delivered).await?;
    let failed = ended(&store, 3, Settlement::Failed).await?;
    for item in [open, delivered, failed] {
        refuses(&store, entry(&item, first())).await?;
        stored(&store, &item, NOW).await?;
    }
    let nobody = Due {
        due_at: first(),
        confirmation: id(9),
        lane: acquisition(9).lane(),
    };
    refuses(&store, nobody).await?;
    due(&store, NOW.plus(Duration::from_hours(1)), &[]).await
}

async fn under_way(store: Store) -> Checked {
    let item = pending(&store, 1).await?;
    let item = claim(&store, &item, first()).await?;
    let item = postpone(&store, &item, first(), first()).await?;
    let item = settle(&store, &item, 200, Settlement::Delivered, first()).await?;
    stored(&store, &item, first()).await
}
