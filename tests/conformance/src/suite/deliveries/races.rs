use std::sync::Arc;

use countersign_domain::delivery::{
    ClaimOutcome, Delivery, DeliveryKind, PostponeOutcome, SettleOutcome, Settlement,
};

use super::for_both_kinds;
use super::steps::{Store, claim, found, pending};
use crate::check::{Checked, Failure, equal};
use crate::samples::{MILLI, NOW, RETENTION, attempt, settled};
use crate::stores::Stores;
use crate::suite::Case;
use crate::suite::races::{MANY, ROUNDS, at_once, only};

pub(super) const CASES: &[Case<Stores>] = for_both_kinds![
    "race: one of 64 claims gets the attempt" => claims,
    "race: one of 64 settlements is stored" => settlements,
    "race: one of 64 sweeps postpones the delivery" => sweeps,
];

async fn claims(store: Store, kind: DeliveryKind) -> Checked {
    for round in 0..ROUNDS {
        let item = pending(&store, kind, round).await?;
        let outcomes = at_once(MANY, |n| {
            let (store, subject) = (Arc::clone(&store), item.subject());
            let at = NOW.plus(MILLI * n.into());
            async move { store.deliveries.claim(subject, 0, at).await }
        })
        .await?;
        let winner = only(&outcomes, |o| *o != ClaimOutcome::Stale)?;
        let ClaimOutcome::Claimed(claimed) = &outcomes[usize::from(winner)] else {
            return Err(Failure::new("the winner claimed nothing"));
        };
        equal("attempts", claimed.delivery.attempts_claimed, 1)?;
        let item = item.after_claim(NOW.plus(MILLI * winner.into()));
        equal("claimed", &**claimed, &item.claimed()?)?;
        super::steps::stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn settlements(store: Store, kind: DeliveryKind) -> Checked {
    for round in 0..ROUNDS {
        let item = claim(&store, &pending(&store, kind, round).await?, NOW).await?;
        // A login keeps its delivery only while another attempt follows.
        let settlement = match kind {
            DeliveryKind::Confirmations => Settlement::Delivered,
            DeliveryKind::Logins => Settlement::Retry {
                at: NOW,
                due_at: NOW,
            },
        };
        let outcomes = at_once(MANY, |n| {
            let (store, subject) = (Arc::clone(&store), item.subject());
            let attempt = settled(1, 200 + u16::from(n), settlement);
            async move {
                let deliveries = &store.deliveries;
                deliveries.settle(subject, attempt, NOW, RETENTION).await
            }
        })
        .await?;
        let winner = only(&outcomes, |o| *o != SettleOutcome::Superseded)?;
        let item = found(&store, item.subject(), NOW).await?;
        let delivery = item.as_ref().and_then(|item| item.delivery());
        let attempts = delivery.map(|delivery| delivery.attempts.clone());
        let expected = attempt(1, 200 + u16::from(winner));
        equal("attempts", attempts, Some(vec![expected]))?;
    }
    Ok(())
}

async fn sweeps(store: Store, kind: DeliveryKind) -> Checked {
    for round in 0..ROUNDS {
        let item = pending(&store, kind, round).await?;
        let due_at = item.delivery().and_then(Delivery::due_at);
        let due = item.due_at(due_at.ok_or_else(|| Failure::new("nothing is owed"))?);
        let outcomes = at_once(MANY, |n| {
            let store = Arc::clone(&store);
            let at = due.due_at.plus(MILLI * u32::from(n));
            async move { store.deliveries.postpone(due, at).await }
        })
        .await?;
        only(&outcomes, |o| *o != PostponeOutcome::Superseded)?;
    }
    Ok(())
}
