use std::time::Duration;

use countersign_domain::delivery::{DeliveryKind, KEPT_ATTEMPTS, SettledAttempt, Settlement};

use super::for_both_kinds;
use super::item::Item;
use super::steps::{
    Got, Store, begun, claim, ended, found, pending, settle, settle_as, stored, superseded, unknown,
};
use crate::check::{Checked, Failure, equal};
use crate::samples::{MILLI, NOW, attempt, settled, signature};
use crate::stores::Stores;
use crate::suite::Case;

pub(super) const CASES: &[Case<Stores>] = for_both_kinds![
    "settle: success ends the delivery" => delivered,
    "settle: final failure ends the delivery" => failed,
    "settle: retry is scheduled" => retry,
    "settle: only the claimed attempt can be settled" => claimed_only,
    "settle: attempt can be settled once" => once,
    "settle: only the latest attempts are kept" => latest_kept,
    "settle: signature is kept until another replaces it" => signature_kept,
    "settle: distant retry keeps the item longer" => kept_for_retry,
];

/// A retry that is due at once.
const AGAIN: Settlement = Settlement::Retry {
    at: NOW,
    due_at: NOW,
};

async fn delivered(store: Store, kind: DeliveryKind) -> Checked {
    ends(&store, kind, 200, Settlement::Delivered).await
}

async fn failed(store: Store, kind: DeliveryKind) -> Checked {
    ends(&store, kind, 410, Settlement::Failed).await
}

async fn ends(store: &Store, kind: DeliveryKind, status: u16, settlement: Settlement) -> Checked {
    // Soon, and after the time within which a browser can redeem the login.
    for (n, after) in [
        (1, MILLI),
        (2, Duration::from_secs(2)),
        (3, Duration::from_mins(5)),
    ] {
        let item = claim(store, &pending(store, kind, n).await?, NOW).await?;
        let at = NOW.plus(after);
        let item = settle(store, &item, status, settlement, at).await?;
        stored(store, &item, at).await?;
    }
    Ok(())
}

async fn retry(store: Store, kind: DeliveryKind) -> Checked {
    let mut item = pending(&store, kind, 1).await?;
    for (status, wait) in [(500, 2), (429, 5), (302, 15)] {
        item = claim(&store, &item, NOW).await?;
        let at = NOW.plus(Duration::from_secs(wait));
        let due_at = at.plus(Duration::from_mins(1));
        let settlement = Settlement::Retry { at, due_at };
        item = settle(&store, &item, status, settlement, NOW).await?;
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn claimed_only(store: Store, kind: DeliveryKind) -> Checked {
    let open = begun(&store, kind, 1, "demo").await?;
    let unclaimed = pending(&store, kind, 2).await?;
    let claimed = claim(&store, &pending(&store, kind, 3).await?, NOW).await?;
    for (subject, number) in [
        (open.subject(), 0),
        (open.subject(), 1),
        (unclaimed.subject(), 0),
        (unclaimed.subject(), 1),
        (claimed.subject(), 0),
        (claimed.subject(), 2),
        (unknown(kind), 1),
    ] {
        let attempt = settled(number, 200, Settlement::Delivered);
        superseded(&store, subject, attempt, NOW).await?;
    }
    for item in [open, unclaimed, claimed] {
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn once(store: Store, kind: DeliveryKind) -> Checked {
    let delivered = ended(&store, kind, 1, Settlement::Delivered).await?;
    let failed = ended(&store, kind, 2, Settlement::Failed).await?;
    let item = claim(&store, &pending(&store, kind, 3).await?, NOW).await?;
    let later = Settlement::Retry {
        at: NOW.plus(Duration::from_secs(2)),
        due_at: NOW.plus(Duration::from_secs(62)),
    };
    let waiting = settle(&store, &item, 500, later, NOW).await?;
    for item in [delivered, failed, waiting] {
        let attempt = settled(1, 200, Settlement::Delivered);
        superseded(&store, item.subject(), attempt, NOW).await?;
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

/// Claims and settles an attempt of an item that already has the maximum of attempts, so the oldest
/// must be dropped. Checks the stored item, and returns it.
async fn settle_full(store: &Store, item: &Item, status: u16, settlement: Settlement) -> Got {
    let item = claim(store, item, NOW).await?;
    let item = settle(store, &item, status, settlement, NOW).await?;
    let item = item.with_delivery(|delivery| {
        delivery.attempts.remove(0);
    });
    stored(store, &item, NOW).await?;
    Ok(item)
}

async fn latest_kept(store: Store, kind: DeliveryKind) -> Checked {
    let mut item = pending(&store, kind, 1).await?;
    let (kept, surplus) = (u32::try_from(KEPT_ATTEMPTS).unwrap_or(u32::MAX), 3);
    for _ in 0..kept {
        item = claim(&store, &item, NOW).await?;
        item = settle(&store, &item, 500, AGAIN, NOW).await?;
    }
    stored(&store, &item, NOW).await?;
    for _ in 0..surplus {
        item = settle_full(&store, &item, 500, AGAIN).await?;
    }
    let last = kept + surplus + 1;
    item = settle_full(&store, &item, 503, AGAIN).await?;
    let stored = found(&store, item.subject(), NOW).await?;
    let attempts = stored.as_ref().and_then(|item| item.delivery());
    let attempts = attempts.map_or(&[][..], |delivery| &delivery.attempts);
    let numbers: Vec<u32> = attempts.iter().map(|attempt| attempt.number).collect();
    equal("attempts", numbers, (surplus + 2..=last).collect())?;
    equal("the last", attempts.last(), Some(&attempt(last, 503)))?;
    settle_full(&store, &item, 410, Settlement::Failed).await?;
    Ok(())
}

async fn signature_kept(store: Store, kind: DeliveryKind) -> Checked {
    let mut item = pending(&store, kind, 1).await?;
    for (sent, kept) in [
        (None, None),
        (Some(signature(1)), Some(signature(1))),
        (None, Some(signature(1))),
        (Some(signature(2)), Some(signature(2))),
    ] {
        item = claim(&store, &item, NOW).await?;
        let settled = SettledAttempt {
            attempt: attempt(item.claims(), 500),
            signature: sent,
            settlement: AGAIN,
        };
        item = settle_as(&store, &item, settled, NOW).await?;
        let stored = found(&store, item.subject(), NOW).await?;
        let stored = stored.ok_or_else(|| Failure::new("the item is gone"))?;
        let signature = stored.delivery().and_then(|found| found.signature.clone());
        equal("signature", signature, kept)?;
    }
    Ok(())
}

async fn kept_for_retry(store: Store, kind: DeliveryKind) -> Checked {
    let item = claim(&store, &pending(&store, kind, 1).await?, NOW).await?;
    let late = item.purge_at();
    let retry = Settlement::Retry {
        at: late,
        due_at: late,
    };
    let item = settle(&store, &item, 503, retry, NOW).await?;
    stored(&store, &item, NOW).await?;
    stored(&store, &item, late).await?;
    // A near retry does not make purge_at earlier.
    let kept_until = item.purge_at();
    let item = claim(&store, &item, late).await?;
    let item = settle(&store, &item, 503, AGAIN, late).await?;
    equal("purge_at", item.purge_at(), kept_until)?;
    stored(&store, &item, late).await
}
