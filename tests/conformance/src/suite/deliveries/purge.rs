use std::time::Duration;

use countersign_domain::delivery::{DeliveryKind, PostponeOutcome, Settlement};

use super::for_both_kinds;
use super::steps::{Store, claim, owing_nothing, pending, stale, superseded};
use crate::check::{Checked, equal};
use crate::samples::{MILLI, NOW, before, settled};
use crate::stores::Stores;
use crate::suite::Case;

pub(super) const CASES: &[Case<Stores>] = for_both_kinds![
    "purge: attempt can be claimed until purge_at" => claimed_until_purge,
    "purge: delivery is gone from purge_at on" => gone_from_purge,
];

async fn claimed_until_purge(store: Store, kind: DeliveryKind) -> Checked {
    let item = pending(&store, kind, 1).await?;
    claim(&store, &item, before(item.purge_at(), MILLI)).await?;
    Ok(())
}

async fn gone_from_purge(store: Store, kind: DeliveryKind) -> Checked {
    let mut items = owing_nothing(&store, kind).await?;
    items.push(pending(&store, kind, 1).await?);
    items.push(claim(&store, &pending(&store, kind, 2).await?, NOW).await?);
    for item in items {
        let (subject, end) = (item.subject(), item.purge_at());
        for attempts in 0..2 {
            stale(&store, subject, attempts, end).await?;
        }
        let attempt = settled(1, 200, Settlement::Delivered);
        superseded(&store, subject, attempt, end).await?;
        let due = item.due_at(NOW.plus(Duration::from_mins(1)));
        let outcome = store.deliveries.postpone(due, end).await?;
        equal("postpone", outcome, PostponeOutcome::Superseded)?;
    }
    Ok(())
}
